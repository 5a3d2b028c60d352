package daemon

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/disk"
	"parley/internal/place"
	"parley/internal/plainfile"
)

// The files of the certificate that the page has of its own, for an address of this machine.
const (
	ownCertificate = "page.pem"
	ownKey         = "page-key.pem"
)

// ownLife is how long such a certificate counts: browsers of phones take none for longer.
const ownLife = 397 * 24 * time.Hour

// ServeOn has the next daemon of a workspace with this home listen at an address of this machine too, by TLS with a
// certificate of its own, and returns the address of the page there.
func ServeOn(home string, ip netip.Addr, port string, now time.Time) (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return "", fmt.Errorf("make a certificate: %w", err)
	}
	form := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "parley"}, IPAddresses: []net.IP{ip.AsSlice()},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(ownLife), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	made, err := x509.CreateCertificate(rand.Reader, form, form, key.Public(), key)
	if err != nil {
		return "", fmt.Errorf("make a certificate: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", fmt.Errorf("make a certificate: %w", err)
	}

	far := "https://" + net.JoinHostPort(ip.String(), port)
	for name, block := range map[string]*pem.Block{
		ownKey: {Type: "PRIVATE KEY", Bytes: private}, ownCertificate: {Type: "CERTIFICATE", Bytes: made},
	} {
		if err := os.WriteFile(filepath.Join(home, name), pem.EncodeToMemory(block), 0o600); err != nil {
			return "", fmt.Errorf("keep the certificate: %w", err)
		}
	}

	return far, os.WriteFile(filepath.Join(home, servedFile), []byte(far+"\n"), 0o600)
}

// StayLocal has the next daemon serve the page to this machine alone, unless parley.yaml says more. It reports whether
// that changes anything.
func StayLocal(home string) (changed bool, err error) {
	for _, name := range []string{servedFile, ownCertificate, ownKey} {
		gone := os.Remove(filepath.Join(home, name))
		changed = changed || gone == nil
		err = errors.Join(err, disk.IgnoreMissing(gone))
	}
	return changed, err
}

// OwnFingerprint returns what a browser shows of the page's own certificate, if that is for an address; else "".
func OwnFingerprint(home, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	kept, err := plainfile.Read(filepath.Join(home, ownCertificate), place.MaxNote)
	if err != nil {
		return ""
	}
	block, _ := pem.Decode(kept)
	if block == nil {
		return ""
	}
	own, err := x509.ParseCertificate(block.Bytes)
	if err != nil || own.VerifyHostname(u.Hostname()) != nil {
		return ""
	}
	return strings.ReplaceAll(fmt.Sprintf("% X", sha256.Sum256(block.Bytes)), " ", ":")
}

// listenNear listens at an address of this machine by the certificate that the page has of its own for it. It returns
// nil if there is none.
func listenNear(home, address string, port int) (net.Listener, error) {
	if OwnFingerprint(home, address) == "" {
		return nil, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	c := &certificate{file: filepath.Join(home, ownCertificate), key: filepath.Join(home, ownKey)}
	if _, err := c.get(nil); err != nil {
		return nil, err
	}
	l, err := ListenPort(u.Hostname(), port)
	if err != nil {
		return nil, err
	}
	return secure(l, c), nil
}
