// @ts-check
// What stands in the frame of a wide terminal: xterm.js, for the page around it.
import {Terminal} from './npm/xterm.js';

Object.assign(window, {Terminal});
