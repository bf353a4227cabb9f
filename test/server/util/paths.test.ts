import t from 'tap'
import { isInside } from '../../../src/server/util/paths.ts'

t.test('a path is inside a folder, which may be the root', async (t) => {
  t.ok(isInside('/srv/site', '/srv/site/pages/index.tsx'))
  t.ok(isInside('/', '/pages'))
  t.notOk(isInside('/srv/site', '/srv/site'))
  t.notOk(isInside('/srv/site', '/srv/site-2/pages'))
})
