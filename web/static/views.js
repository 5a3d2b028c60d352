// @ts-check
// The views besides the first one. They are loaded once that is there, or when one of them is opened.
export {Agent, Agents, Side} from './agents.js';
export {Message, Thread, Threads, Traffic} from './messages.js';
export {Health} from './health.js';
export {Launch, NewThread} from './begin.js';
export {Past} from './past.js';
export {Pictures} from './pictures.js';
export {Planned} from './planned.js';
export {Review} from './review.js';
export {Sessions} from './sessions.js';
export {Terminal} from './terminal.js';
export {Tiles} from './tiles.js';
export {Workspaces} from './workspaces.js';
