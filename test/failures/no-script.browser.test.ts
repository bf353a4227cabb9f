import t from 'tap'
import { shareSite } from '../site-server.ts'
import { checkBrowserCells, planAll, planThrown } from './browser-cells.ts'
import { positions } from './positions.ts'
import { openWays } from './ways.ts'

t.test('every position gives a browser without JavaScript the specified result', async (t) => {
  const site = await shareSite(t)
  const ways = await openWays(t, site)
  const visits = [...planAll(ways, positions), ...planThrown(ways)]
  await checkBrowserCells(t, 'N', { site, visits })
})
