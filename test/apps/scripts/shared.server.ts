// What the test, which runs in the same process, sets and reads.

import type { LoadContext } from 'hydrant'

declare global {
  /** The number of notes that have arrived. */
  var hydrantNotes: number
  /** The file that the pages `whole` and `streamed` send. */
  var hydrantUpload: string
}

/** Sends a file of a visitor that looks like Hydrant's own response. */
export async function sendUpload({ reply }: LoadContext): Promise<void> {
  await reply
    .type('application/x-ndjson')
    .header('content-disposition', 'attachment')
    .header('hydrant-build', 'any')
    .send(globalThis.hydrantUpload)
}
