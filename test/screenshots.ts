// Writes docs/images/: the console of a shop in which a few pages have failed, for light and dark windows. `npm run
// screenshots` runs it, and prints what README.md shows of the first failure.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchChromium } from './browser/chromium.ts'
import { readMarkdown } from './docs/code/code-block.ts'
import { writeSite } from './scripts/create-site.ts'
import { runCli, startCli } from './scripts/run-cli.ts'

const IMAGES = 'docs/images'
/** Inside the package, so Node.js finds `react` and `hydrant` from it. */
const DIR = '.hydrant-screenshots/my-site'
/** The list of four failures, in physical pixels that are smaller than those of the page. */
const CLIP = { x: 0, y: 0, width: 1200, height: 715, scale: 1.5 }

/** The page that README.md shows, and others that fail in other ways. */
const SITE = {
  ...Object.fromEntries(
    readMarkdown('README.md')
      .filter(({ path }) => path.startsWith('pages/products/'))
      .map(({ path, text }) => [path, text]),
  ),
  'products.ts': `interface Product { name: string; stock: { count: number } }
export const products = new Map<string, Product>(JSON.parse('[["7",{"name":"Tea","stock":{"count":3}}],["8",{"name":"Cup","stock":null}]]'))
`,
  'pages/cart.tsx': `import { useState } from 'react'

export default function Cart() {
  const [voucher, setVoucher] = useState<{ code: string }>()
  return (
    <button type="button" onClick={() => setVoucher(JSON.parse('{"code":TEA}'))}>
      Use the voucher {voucher?.code}
    </button>
  )
}
`,
  'pages/orders.tsx': 'export default () => <h1>Orders</h1>\n',
  'pages/orders.server.ts': `export async function load() {
  const answer = await fetch('http://127.0.0.1:9/orders')
  return { orders: await answer.json() }
}
`,
  'pages/reports.tsx': 'export default () => <h1>Reports</h1>\n',
  'pages/reports.server.ts': 'export const load = () => new Promise(() => {})\n',
  'hydrant.config.js': 'export default { timeouts: { loadMs: 500 } }\n',
}

/** How often each page is requested. The page that README.md shows is the last one. */
const VISITS = { '/reports': 2, '/orders': 5, '/products/8': 14 }

const ends: (() => unknown)[] = []
const owner = { teardown: (end: () => unknown) => void ends.unshift(end) }

rmSync(DIR, { recursive: true, force: true })
try {
  writeSite(DIR, SITE)
  const { code, stderr } = await runCli(['build', DIR])
  if (code !== 0) throw new Error(stderr)
  const server = startCli(owner, ['start', DIR], { env: { PORT: '0', HYDRANT_ADMIN: '0' } })
  const [, port = ''] = await server.waitFor(/Server listening at http:[^"]+:(\d+)/)
  const [, admin = ''] = await server.waitFor(/the console is at (http:[^"]+)/)
  const chromium = await launchChromium(owner)

  const visitor = await chromium.open()
  const visit = (path: string) => visitor.goto(`http://localhost:${port}${path}`, 'load')
  await visit('/cart')
  await visitor.hydrated()
  await visitor.click('button')
  await server.waitFor(/"side":"client"/)
  for (const [path, count] of Object.entries(VISITS)) for (let number = 0; number < count; number++) await visit(path)
  const [log] = await server.waitFor(/^.*"url":"\/products\/8".*$/)
  const digest = String(/"digest":"([^"]+)"/.exec(log)?.[1])
  console.log(`${await visitor.read('body')}\n\n${log}\n\n${(await runCli(['errors', digest, DIR])).stdout}`)

  mkdirSync(IMAGES, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    const { goto, hydrated, protocol } = await chromium.open({ colorScheme, width: CLIP.width })
    await goto(admin, 'load')
    await hydrated()
    const { data } = await protocol.send('Page.captureScreenshot', { format: 'webp', quality: 40, clip: CLIP })
    writeFileSync(join(IMAGES, `console-${colorScheme}.webp`), Buffer.from(data, 'base64'))
  }
} finally {
  for (const end of ends) await end()
  rmSync(DIR, { recursive: true, force: true })
}
