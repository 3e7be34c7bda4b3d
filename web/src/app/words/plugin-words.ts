import type { Plugin } from '../api/contract';
import type { StatusWord } from './tone';

export const compatibility: Record<Plugin['compatibility']['state'], StatusWord> = {
  compatible: { tone: 'ok', word: 'Compatible', explanation: 'The package fits this version of SoAI.' },
  incompatible: { tone: 'bad', word: 'Incompatible', explanation: 'The package does not fit this version of SoAI.' },
};

export const backend: Record<Plugin['backend']['state'], StatusWord> = {
  stopped: { tone: 'idle', word: 'Stopped', explanation: 'The backend is not running.' },
  starting: { tone: 'info', word: 'Starting', explanation: 'The backend is being started.' },
  running: { tone: 'ok', word: 'Running', explanation: 'The backend is reachable.' },
  stopping: { tone: 'info', word: 'Stopping', explanation: 'The backend is being stopped.' },
  error: { tone: 'bad', word: 'Error', explanation: 'The backend can’t be used.' },
};

export const worker: Record<Plugin['worker']['state'], StatusWord> = {
  idle: { tone: 'ok', word: 'Idle', explanation: 'Ready for work.' },
  busy: { tone: 'info', word: 'Busy', explanation: 'Working on requests.' },
  stopped: { tone: 'idle', word: 'Stopped', explanation: 'Takes no work.' },
};

export const quarantine: Record<Plugin['quarantine']['state'], StatusWord> = {
  none: { tone: 'ok', word: 'None', explanation: 'Not in quarantine.' },
  quarantined: {
    tone: 'bad',
    word: 'Quarantined',
    explanation: 'Taken out of service after repeated failed recoveries.',
  },
  integrity: { tone: 'bad', word: 'Integrity', explanation: 'Its files no longer match their recorded digests.' },
};

export const circuit: Record<Plugin['circuit']['state'], StatusWord> = {
  closed: { tone: 'ok', word: 'Closed', explanation: 'Requests flow to this plugin.' },
  open: { tone: 'bad', word: 'Open', explanation: 'Too many failures: requests are held back until it has rested.' },
  half_open: { tone: 'warn', word: 'Half open', explanation: 'One probe request decides whether it closes again.' },
};
