import { readdirSync } from 'node:fs'
import t from 'tap'
import { BOUNDARY_FILE } from '../../src/shared/tree/boundary.tsx'

t.test('the pattern matches the boundary’s module and no other file', async (t) => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'))
  const matching = files.filter((path) => BOUNDARY_FILE.test(path))
  t.strictSame(matching, ['shared/tree/boundary.tsx'])
})
