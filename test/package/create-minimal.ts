// The template `minimal` of `hydrant create`.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { until } from '../until.ts'
import { type CreatedSite, fetchText, testImage, testNewSite } from './created-site.ts'

/** What a new site may take on the disk, in MB, where Node.js has SQLite. */
const MAX_MB = 110

export function testMinimal(t: Test, site: CreatedSite): void {
  t.test(`the packages of the new site have at most ${MAX_MB} MB`, async (t) => {
    const { output } = await site.run('du --summarize --block-size=M --exclude=@photostructure node_modules')
    t.ok(Number.parseInt(output, 10) <= MAX_MB, output)
  })

  testNewSite(t, site)

  t.test('a test in a browser says how to install one', async (t) => {
    const env = { CHROMIUM: '/nowhere/chromium', NODE_ENV: 'production' }
    const { isOk, output } = await site.run('node --test test/browser.test.js', env)
    t.notOk(isOk)
    t.match(output, 'No browser for the tests.')
    t.match(output, 'npx playwright-core install chromium')
  })

  t.test('a change of a page appears without a restart', async (t) => {
    const origin = await site.startDev(t)
    t.match(await fetchText(`${origin}/`), '<h1>Welcome</h1>')
    t.match(await fetchText(`${origin}/books/kim`), '<h1>Kim</h1>')
    site.edit('pages/index.tsx', 'Welcome</h1>', 'Changed</h1>')
    await until(async () => (await fetchText(`${origin}/`)).includes('<h1>Changed</h1>'))
  })

  t.test('development has valid source maps of the packages, and leaves React as it is', async (t) => {
    const cache = join(site.dir, 'node_modules/.cache/hydrant')
    const maps = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js.map'))
    const sourcesOf = (map: string): string[] => JSON.parse(readFileSync(join(cache, map), 'utf8')).sources
    const react = maps.filter((map) => sourcesOf(map).some((path) => path.includes('/react-dom/')))
    t.ok(react.length > 0)
    for (const map of react) t.notMatch(readFileSync(join(cache, map.replace(/\.map$/, '')), 'utf8'), '$kept')
  })

  t.test('the image of the site starts and is healthy', async (t) => testImage(t, site, '<h1>Changed</h1>'))
}
