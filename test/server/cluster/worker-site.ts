// A site whose responses name the process, and that can be made to fail.

import type { Files } from '../served.ts'

const SERVER = (version: string) => `
export default async function server(app) {
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

/** \`/gated\` streams, and waits until its process gets SIGCONT. */
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

/** Long enough that no deadline interferes. */
export const LONG = {
  HYDRANT_TIMEOUTS_LOAD_MS: '60000',
  HYDRANT_TIMEOUTS_RENDER_MS: '60000',
  HYDRANT_TIMEOUTS_DRAIN_MS: '60000',
}
