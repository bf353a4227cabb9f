import { messageScript, type Notice } from '../../shared/wire/boot.ts'
import { timerMs } from '../util/timer-ms.ts'

/** How much longer than the deadline a browser waits for the next part, because the network takes time too. */
const GRACE_MS = 5_000

/** Returns the notice at the beginning of a document that streams. */
export function openNotice(renderMs: number): Notice {
  return [0, 'open', timerMs(renderMs + GRACE_MS)]
}

/** Returns the text of a script that gives a message to the browser. `message` is JSON that is safe inside a script. */
export function messageElement(message: string, nonce: string): string {
  return `<script nonce="${nonce}">${messageScript(message)}</script>`
}
