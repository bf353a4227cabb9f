import t from 'tap'
import { layoutKey } from '../../src/shared/wire/boot.ts'
import { countKept, writeLayoutKeys } from '../../src/shared/wire/navigation-protocol.ts'

t.test('the layouts that a page sends are those that it keeps, also inside the built-in layout', async (t) => {
  const chains = [
    [{ file: 'ROOT.js' }, { file: 'USER.js', params: ['id'] }],
    [{ file: null }, { file: 'USER.js', params: ['id'] }],
    [{ file: null }],
  ]
  for (const layouts of chains) {
    const keys = writeLayoutKeys(layouts.map((layout) => layoutKey(layout, { id: 'a b' })))
    const { headers } = new Request('http://localhost', { headers: { keys } })
    const sent = String(headers.get('keys'))
    t.equal(countKept(layouts, { id: 'a b' }, sent), layouts.length, sent)
    t.equal(countKept(layouts, { id: 'another' }, sent), 1, sent)
  }
})
