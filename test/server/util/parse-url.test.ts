import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isWebAddress, redirectLocation } from '../../../src/server/errors/http-error.ts'
import { judgeOrigin } from '../../../src/server/guards/csrf.ts'
import { pathAndQuery, plainTarget } from '../../../src/server/http/request-url.ts'
import { parseUrl } from '../../../src/server/util/addresses.ts'
import { walk } from '../../scripts/walk.ts'

t.test('parses a URL, absolute or relative', async (t) => {
  t.equal(parseUrl('http://a.example/b?c')?.pathname, '/b')
  t.equal(parseUrl('b', 'http://a.example/c/d')?.href, 'http://a.example/c/b')
  t.strictSame(
    ['', 'b', 'http://', 'http://a b/', '//a'].filter((text) => parseUrl(text) !== null),
    [],
  )
})

t.test('parses characters beyond ASCII in the same way after many calls', async (t) => {
  const odd = '\u00d6\u0085'
  // After some thousand calls V8 has optimized `URL.canParse`, and its result is wrong.
  for (let count = 0; count < 30_000; count++) {
    const path = pathAndQuery(`http://a.example/${count}`)
    if (count % 10 === 0) pathAndQuery(`http://${odd}/`)
    judgeOrigin({
      method: 'POST',
      fetchSite: undefined,
      origin: `http://${count % 10 ? 'a' : odd}`,
      host: 'b',
      allowedOrigins: [],
    })
    isWebAddress(count % 10 ? path : `//${odd}/`)
    try {
      redirectLocation(count % 10 ? path : `//${odd}/`, '/', '/')
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'HYD_REDIRECT_OUTSIDE')) throw error
    }
  }
  t.equal(pathAndQuery(`http://${odd}/admin`), '/admin', 'whatever the host is')
  t.equal(plainTarget(`http://${odd}/admin`), '/admin')
  t.equal(parseUrl('http://\u00d6.example/')?.hostname, 'xn--nda.example')
})

t.test('no file of the server calls URL.canParse', async (t) => {
  const files = ['src/server', 'scripts/dev'].flatMap((folder) => walk(folder).map((file) => join(folder, file)))
  t.ok(files.length > 200, `${files.length} files`)
  t.strictSame(
    files.filter((file) => file.endsWith('.ts') && readFileSync(file, 'utf8').includes('URL.canParse(')),
    [],
  )
})
