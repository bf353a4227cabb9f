import t from 'tap'
import { type LogLine, shareSite } from '../site-server.ts'
import { checkHttpCells } from './http-cells.ts'
import { thrownAt, thrownKinds, thrownPosition } from './positions.ts'
import { openWays } from './ways.ts'

/** More than any log line needs, and much less than the size of the thrown value. */
const MAX_LINE = 30_000

const OWN_PLACE = /(?:^|\()(?:pages\/failures\/f13\/|content\/(?:thrown|later)\.ts:\d+)/

t.test('HTTP clients get the result of the position for every thrown value, and the log describes it', async (t) => {
  const site = await shareSite(t)
  const ways = await openWays(t, site)
  const expected = new Map(
    thrownKinds.flatMap((thrown) =>
      thrownAt.map((at) => {
        const logged = at === 'render' && thrown.rendered ? thrown.rendered : thrown
        return [thrownPosition(thrown.kind, at), { ...logged, kind: thrown.kind }] as const
      }),
    ),
  )
  await checkHttpCells(t, { site, ways, positions: [...expected.keys()] }, (checks, position, lines, client) => {
    const thrown = expected.get(position)
    if (!thrown || position.outcomes[client].kind === 'json') return
    const [line] = lines
    checks.equal(line?.err?.type, thrown.type, 'the log has the type of what was thrown')
    checks.match(line?.err?.message, thrown.message, 'and says what it was')
    checks.match(firstFrame(line), OWN_PLACE, 'and where')
    checks.equal(JSON.stringify(lines).length < MAX_LINE, true, 'cut to size')
    if (thrown.kind === 'object') checks.equal(line?.err?.digest, 'x', 'a digest of its own is a field of the log only')
    if (thrown.kind === 'aggregate') checks.equal(line?.err?.errors?.length, 2, 'all of its errors')
    if (thrown.kind === 'cycle') checks.match(line?.err?.cause?.message, /inner/, 'its cause')
  })
})

function firstFrame(line: LogLine | undefined): string {
  const frame = line?.err?.stack.split('\n').find((text) => text.startsWith('    at ')) ?? ''
  return frame.replace(/^ +at /, '')
}
