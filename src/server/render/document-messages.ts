import { messageScript, type Notice } from '../../shared/wire/boot.ts'

/** How much longer than the deadline a browser waits for the next part, because the network takes time too. */
const GRACE_MS = 5_000
const MAX_TIMER_MS = 2_147_483_647

/** Returns the notice at the beginning of a document that streams. */
export function openNotice(renderMs: number): Notice {
  return [0, 'open', Math.min(renderMs + GRACE_MS, MAX_TIMER_MS)]
}

/** Returns the text of a script that gives a message to the browser. `message` is JSON that is safe inside a script. */
export function messageElement(message: string, nonce: string): string {
  return `<script nonce="${nonce}">${messageScript(message)}</script>`
}
