import t, { type Test } from 'tap'
import { quoteWord } from '../../scripts/terminal/text.ts'

function setPlatform(t: Test, platform: NodeJS.Platform) {
  const own = process.platform
  Object.defineProperty(process, 'platform', { value: platform })
  t.teardown(() => Object.defineProperty(process, 'platform', { value: own }))
}

t.test('words are quoted as a POSIX shell reads them', async (t) => {
  setPlatform(t, 'linux')
  t.equal(quoteWord('sites/my-site'), 'sites/my-site')
  t.equal(quoteWord("my site's"), "'my site'\\''s'")
  t.equal(quoteWord('a\\b'), "'a\\b'")
})

t.test('on Windows, words are quoted as both of its shells read them', async (t) => {
  setPlatform(t, 'win32')
  t.equal(quoteWord('C:\\sites\\my-site'), 'C:\\sites\\my-site')
  t.equal(quoteWord('my site'), '"my site"')
})
