import t from 'tap'
import { testChapter } from '../fastify-examples.ts'

const SLEEP = "const { setTimeout: sleep } = require('node:timers/promises')\n"
const leaves = { requests: [{ connect: '/' }], logs: /^request closed$/ }

t.test('Detecting When Clients Abort', (t) =>
  testChapter(t, 'Guides/Detecting-When-Clients-Abort', {
    'Hands-on 1': { ...leaves, app: true, edit: { 'sleep(3000)': 'sleep(200)' } },
    'Hands-on 2': { ...leaves, before: SLEEP, edit: { 'sleep(3000)': 'sleep(200)' } },
    'Hands-on 3': {
      // The time passes when the client has left.
      before:
        "let end; const over = new Promise((resolve) => { end = resolve }), sleep = () => over; fastify.addHook('onRequestAbort', async (request) => end())",
      edit: { '// do something here': "seen('aborted')" },
      requests: [{ connect: '/' }],
    },
    'Testing 1': { not: 'It is the client of the examples above.' },
  }),
)
