// The template `plugin` of `hydrant create`: an app with its own routes and pages.

import t from 'tap'
import { until } from '../until.ts'
import { createSite, fetchText, testImage, testNewSite } from './created-site.ts'

const site = await createSite(t, 'plugin')
testNewSite(t, site)

t.test('a route of the app changes while its pages are developed', async (t) => {
  const origin = await site.startDev(t)
  t.match(await fetchText(`${origin}/`), 'Give this app its first page')
  t.match(await fetchText(`${origin}/api/tasks`), 'Give this app its first page')
  site.edit('src/tasks.ts', 'Give this app its first page', 'Changed')
  await until(async () => (await fetchText(`${origin}/api/tasks`)).includes('Changed'))
})

t.test('the image of the app starts and is healthy', async (t) => testImage(t, site, '<li>Changed</li>'))
