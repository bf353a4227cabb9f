import t from 'tap'
import { shareSite } from '../site-server.ts'
import { checkBrowserCells, planAll } from './browser-cells.ts'
import { positions } from './positions.ts'
import { openWays } from './ways.ts'

t.test('every position gives a browser the specified result', async (t) => {
  const site = await shareSite(t)
  const ways = await openWays(t, site)
  await checkBrowserCells(t, 'J', { site, visits: planAll(ways, positions) })
})
