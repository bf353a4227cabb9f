import t from 'tap'
import { clientSentence, digestLine, serverSentence } from '../../src/shared/wire/public-error.ts'
import { shareSite } from '../site-server.ts'
import { checkHttpCells } from './http-cells.ts'
import { positions } from './positions.ts'
import { openWays } from './ways.ts'

t.test('the sentences are these, word for word', async (t) => {
  t.equal(
    serverSentence('shop.example'),
    'Application error: a server-side exception has occurred while loading shop.example (see the server logs for more information).',
  )
  t.equal(
    clientSentence('shop.example'),
    'Application error: a client-side exception has occurred while loading shop.example (see the browser console for more information).',
  )
  t.equal(digestLine('7K3M9QZD-0F4XTB'), 'Digest: 7K3M9QZD-0F4XTB')
})

t.test('every position gives HTTP clients the specified result', async (t) => {
  const site = await shareSite(t)
  const ways = await openWays(t, site)
  await checkHttpCells(t, { site, ways, positions })
})
