import t from 'tap'
import { editHref, type Repository } from '../../site/content/edit-href.ts'
import { findFailing } from '../find-failing.ts'

const FILE = 'docs/guide/forms.md'
const EXPECTED: [Repository, string | null][] = [
  ['https://code.example/hydrant/hydrant', `https://code.example/hydrant/hydrant/edit/main/${FILE}`],
  ['https://code.example/hydrant/', `https://code.example/hydrant/edit/main/${FILE}`],
  [{ url: 'git+https://code.example/a/b.git' }, `https://code.example/a/b/edit/main/${FILE}`],
  [undefined, null],
  ['', null],
  [{ url: 'git@code.example:a/b.git' }, null],
  ['javascript:alert(1)', null],
]

t.test('a document can be edited at the address of the repository, if the package names one', async (t) => {
  const failing = await findFailing(
    EXPECTED,
    ([repository]) => editHref(repository, FILE),
    ([, href]) => href,
  )
  t.strictSame(failing, [])
})
