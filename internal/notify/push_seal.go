package notify

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"time"
)

// The sizes of RFC 8291 and RFC 8188, in bytes. A push service takes a body of 4096 at least; one record is all of it.
const (
	sealSalt   = 16
	sealRecord = 4096
	sealPoint  = 65 // a public key on P-256
	sealSecret = 16 // what the browser shares with those who push
	maxSealed  = sealRecord - sealSalt - 4 - 1 - sealPoint - 1 - 16
)

// seal encrypts a text for a browser by RFC 8291, with a key and a salt that are used for nothing else.
func seal(text, browser, secret []byte, key *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	if len(text) > maxSealed {
		return nil, errors.New("the notice is too long to be pushed")
	}
	to, err := ecdh.P256().NewPublicKey(browser)
	if err != nil {
		return nil, err
	}
	shared, err := key.ECDH(to)
	if err != nil {
		return nil, err
	}

	own := key.PublicKey().Bytes()
	input, err := derive(shared, secret, "WebPush: info\x00"+string(browser)+string(own), sha256.Size)
	if err != nil {
		return nil, err
	}
	contentKey, err := derive(input, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := derive(input, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(contentKey)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}

	body := binary.BigEndian.AppendUint32(slices.Clone(salt), sealRecord)
	body = append(append(body, byte(len(own))), own...)
	return gcm.Seal(body, nonce, append(slices.Clone(text), 2), nil), nil // 2 ends the last record
}

func derive(input, salt []byte, info string, size int) ([]byte, error) {
	return hkdf.Key(sha256.New, input, salt, info, size)
}

// sealFor encrypts a text with a fresh key and salt.
func sealFor(text, browser, secret []byte) ([]byte, error) {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, sealSalt)
	_, _ = rand.Read(salt) // it never fails
	return seal(text, browser, secret, key, salt)
}

// vapidLife is how long what names the sender counts: RFC 8292 allows a day.
const vapidLife = 12 * time.Hour

// vapid returns the Authorization by which a push service knows the sender again, by RFC 8292.
func vapid(key *ecdsa.PrivateKey, origin, contact string, now time.Time) (string, error) {
	claims, err := json.Marshal(map[string]any{"aud": origin, "exp": now.Add(vapidLife).Unix(), "sub": contact})
	if err != nil {
		return "", err
	}
	signed := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)

	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return "", err
	}
	public, err := key.PublicKey.Bytes()
	if err != nil {
		return "", err
	}
	return "vapid t=" + signed + "." + encode(append(fixed(r), fixed(s)...)) + ", k=" + encode(public), nil
}

// fixed returns a number of P-256 in its whole width.
func fixed(n *big.Int) []byte { return n.FillBytes(make([]byte, elliptic.P256().Params().BitSize/8)) }

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
