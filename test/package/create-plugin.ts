// The template `plugin` of `hydrant create`: an app with its own routes and pages.

import type { Test } from 'tap'
import { until } from '../until.ts'
import { type CreatedSite, fetchText, testImage, testNewSite } from './created-site.ts'

export function testPlugin(t: Test, site: CreatedSite): void {
  testNewSite(t, site)

  t.test('a route of the app changes while its pages are developed', async (t) => {
    const origin = await site.startDev(t)
    t.match(await fetchText(`${origin}/`), 'Give this app its first page')
    t.match(await fetchText(`${origin}/api/tasks`), 'Give this app its first page')
    site.edit('src/tasks.ts', 'Give this app its first page', 'Changed')
    await until(async () => (await fetchText(`${origin}/api/tasks`)).includes('Changed'))
  })

  t.test('the image of the app starts and is healthy', async (t) => testImage(t, site, '<li>Changed</li>'))
}
