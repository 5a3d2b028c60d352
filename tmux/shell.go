package tmux

import "path/filepath"

// TakesKeys returns the program's name if argv is a pager or an editor, which reads
// typed text as commands. For any other program it returns "".
func TakesKeys(argv []string) string {
	if len(argv) == 0 {
		return ""
	}

	switch name := filepath.Base(argv[0]); name {
	case "less", "more", "most", "man", "pager", "view", "w3m", "lynx", "mutt", "neomutt",
		"editor", "vi", "vim", "vim.basic", "vim.tiny", "nvim", "vimdiff", "nano", "pico", "emacs", "ed", "joe",
		"micro", "hx", "helix", "kak", "ne", "top", "htop", "btop", "atop", "iotop", "watch", "tig", "lazygit", "gitui",
		"k9s", "mc", "ranger", "nnn", "lf", "vifm", "yazi", "ncdu", "fzf", "sk", "dialog", "whiptail":
		return name
	}

	return ""
}
