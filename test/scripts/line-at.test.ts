import t from 'tap'
import { lineAt, placeAt } from '../../scripts/build-problem.ts'

for (const [system, end] of [
  ['Linux', '\n'],
  ['Windows', '\r\n'],
] as const) {
  t.test(`a line of a source with the line ends of ${system}`, async (t) => {
    const source = ['one', 'two', 'three'].join(end)
    t.equal(lineAt(source, 2), 'two')
    t.equal(lineAt(source, 4), null)
    t.strictSame(placeAt('a.ts', source, source.indexOf('wo')), { file: 'a.ts', line: 2, column: 2, lineText: 'two' })
  })
}
