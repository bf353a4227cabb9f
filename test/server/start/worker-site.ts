// A site whose responses say which process sent them, and which can be made to fail.

import { LONG_DEADLINES } from '../../site-server.ts'
import type { Files } from '../served.ts'

const SERVER = (version: string) => `
import { writeFileSync } from 'node:fs'

/**
 * Writes a file when this worker has reported that a request for /gated is in flight, and another one a second after it
 * has told the primary that it wants no more connections. A worker that does not wait for the reply has ended by then.
 */
function watchMessages(folder) {
  const send = process.send
  process.send = (message, ...rest) => {
    const isSent = send.call(process, message, ...rest)
    if (message?.hydrant?.inFlight?.has('/gated')) writeFileSync(folder + '/' + process.pid + '-reported', '')
    if (message?.hydrant?.kind === 'closed') setTimeout(writeFileSync, 1_000, folder + '/' + process.pid, '')
    return isSent
  }
}

export default async function server(app) {
  if (process.env.CLOSED_FOLDER) watchMessages(process.env.CLOSED_FOLDER)
  const gate = {}
  gate.opened = new Promise((resolve) => { gate.open = () => resolve('opened at last') })
  process.on('SIGCONT', gate.open)
  app.decorate('gate', gate)
  app.get('/pid', async () => ({ pid: process.pid, version: '${version}' }))
  app.post('/pid', async (request) => ({ pid: process.pid, sent: request.body }))
  app.get('/long', async (request) => {
    request.log.info({ text: 'x'.repeat(50_000) }, 'a long line')
    return 'logged'
  })
  process.on('SIGWINCH', () => { throw new Error('crash') }) // fails: worker
  app.get('/fail', async () => { throw new Error('fail') })
}
`

/** `/gated` streams, and waits until its process gets SIGCONT. */
export const workerSite = (version = 'one'): Files => ({
  'server.ts': SERVER(version),
  'pages/gated.tsx': `
import { Suspense, use } from 'react'
function Later({ later }) { return <b>{use(later)}</b> }
export default function Page({ data }) {
  return <main><p>shell of {data.pid}</p><Suspense fallback={<i>wait</i>}><Later later={data.later} /></Suspense></main>
}
`,
  'pages/gated.server.ts': 'export const load = ({ app }) => ({ pid: process.pid, later: app.gate.opened })\n',
})

/** Deadlines that no test reaches. */
export const LONG = {
  ...LONG_DEADLINES,
  HYDRANT_TIMEOUTS_DRAIN_MS: '60000',
}
