import t from 'tap'
import { COMMAND_OPTIONS } from '../command-options.ts'
import { createHttpClient } from '../http-client.ts'
import { startSite } from '../site-server.ts'

const PATHS = ['/failures/f1/fail', '/failures/f2/fail', '/failures/f3/fail', '/failures/f4/fail', '/failures/f6/fail']

t.test('the fingerprint of a failure is the same on every machine, however Node was started', async (t) => {
  const options = [[], ['--enable-source-maps'], ['--stack-trace-limit=50']]
  const [plain = [], ...others] = await Promise.all(options.map((nodeOptions) => failuresOf(t, nodeOptions)))
  for (const [index, other] of others.entries()) {
    t.same(
      other.map(({ fingerprint }) => fingerprint),
      plain.map(({ fingerprint }) => fingerprint),
      `the fingerprints with ${options[index + 1]}`,
    )
    t.same(
      other.map(({ frame }) => frame),
      plain.map(({ frame }) => frame),
      `the first frames with ${options[index + 1]}`,
    )
  }
})

async function failuresOf(t: Parameters<typeof createHttpClient>[0], nodeOptions: readonly string[]) {
  const site = await startSite(t, { nodeOptions: [...COMMAND_OPTIONS, ...nodeOptions] })
  const http = createHttpClient(t)
  const answers = await Promise.all(PATHS.map((path) => http.send({ port: site.port, path })))
  await site.settleLog()
  return answers.map(({ headers }) => {
    const [line] = site.linesOf(String(headers['x-request-id']))
    return { fingerprint: line?.digest?.split('-')[0], frame: line?.err?.stack.split('\n')[1] }
  })
}
