// xterm-frame.js
import { Terminal } from "./npm/xterm.js";
Object.assign(window, { Terminal });
