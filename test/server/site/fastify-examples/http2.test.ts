import t from 'tap'
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../proxy/certificate.ts'
import { testChapter } from '../fastify-examples.ts'

const secure = {
  app: true,
  before: "const __dirname = ''",
  modules: {
    'node:fs': `{ readFileSync: (path) => path.endsWith('.key') ? ${JSON.stringify(CERTIFICATE_KEY)} : ${JSON.stringify(CERTIFICATE)} }`,
  },
  after: "fastify.get('/server', async ({ server }) => server.server.constructor.name)",
  requests: ['/', '/server'],
}

t.test('HTTP2', (t) =>
  testChapter(t, 'Reference/HTTP2', {
    'Secure (HTTPS) 1': secure,
    'Secure (HTTPS) 2': secure,
    'Plain or insecure 1': { app: true, after: secure.after, requests: ['/', '/server'] },
  }),
)
