import t from 'tap'
import { shareSite } from '../site-server.ts'
import { checkBrowserCells, planThrown } from './browser-cells.ts'
import { openWays } from './ways.ts'

t.test('for every thrown value a browser gets the result of its position', async (t) => {
  const site = await shareSite(t)
  const ways = await openWays(t, site)
  await checkBrowserCells(t, 'J', { site, visits: planThrown(ways) })
})
