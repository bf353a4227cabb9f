import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { formatReport } from '../../scripts/commands/format-report.ts'
import { serve } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'

const page = (text: string) =>
  `import './index.css'\nimport { lazy } from 'react'\nconst Part = lazy(() => import('../part'))\nexport default () => <p title="${'long '.repeat(200)}">${text}<Part /></p>\n`
const files = (text: string) => ({
  'pages/layout.tsx': "export default ({ children }) => <html lang='en'><body>{children}</body></html>\n",
  'pages/index.tsx': page(text),
  'pages/index.css': `.a { color: ${text} }`,
  'part.tsx': `export default () => <i>${text}</i>\n`,
})

function writeAll(dir: string, text: string) {
  for (const [path, contents] of Object.entries(files(text))) writeFileSync(join(dir, path), contents)
}

const build = (dir: string) => buildSharing({ dir })

t.test('keeps the files of the last four builds for pages that are open', async (t) => {
  const dir = createSite(t, files('red'), 'site')
  const client = join(dir, '.hydrant', 'client')
  const one = await build(dir)
  t.equal(one.keptFiles, 0)
  t.notMatch(formatReport(one), 'kept')
  const ofOne = readdirSync(client)
  const contents = ofOne.map((name) => readFileSync(join(client, name)))
  t.strictSame(
    one.manifest.clientFiles,
    ofOne.filter((name) => !/\.(br|gz)$/.test(name)),
  )

  writeAll(dir, 'green')
  const two = await build(dir)
  const onlyOne = one.manifest.clientFiles.filter((name) => !two.manifest.clientFiles.includes(name))
  t.ok(onlyOne.length >= 3, 'page, part and stylesheet')
  t.equal(two.keptFiles, onlyOne.length)
  t.match(formatReport(two), `kept for open pages: ${onlyOne.length} files of earlier builds`)
  const changed = ofOne.filter((name, index) => !contents[index]?.equals(readFileSync(join(client, name))))
  t.strictSame(changed, [], 'each is as it was, compressed copies included')
  for (const name of onlyOne.filter((file) => /\.(js|css)$/.test(file)))
    t.ok(existsSync(join(dir, '.hydrant', 'maps', `${name}.map`)), 'with their maps')

  const fresh = `${dir}-fresh`
  cpSync(dir, fresh, { recursive: true, filter: (path) => !path.includes('.hydrant') })
  t.strictSame((await build(fresh)).manifest, two.manifest, 'the build is the same without one before it')

  const builds = [two, one]
  for (const color of ['blue', 'white', 'black']) {
    writeAll(dir, color)
    builds.unshift(await build(dir))
  }
  const [last, ...earlier] = builds.map(({ manifest }) => manifest.clientFiles)
  const kept = () => readdirSync(client).filter((name) => !/\.(br|gz)$/.test(name))
  t.strictSame(kept(), [...new Set([last, ...earlier].flat())].sort(), 'one is the fourth before the last')

  writeAll(dir, 'grey')
  const six = await build(dir)
  const all = [six.manifest.clientFiles, last, ...earlier.slice(0, 3)].flat()
  t.strictSame(kept(), [...new Set(all)].sort(), 'not of builds before that')
  t.notOk(readdirSync(client).some((name) => onlyOne.some((old) => name.startsWith(old))))

  const again = await build(dir)
  t.strictSame(kept(), [...new Set(all)].sort(), 'building the same again changes nothing')
  t.equal(again.keptFiles, six.keptFiles)
  const onlyTwo = two.manifest.clientFiles.filter((name) => !six.manifest.clientFiles.includes(name))

  const { app } = await serve(t, dir)
  for (const name of onlyTwo) {
    const response = await app.inject(`/_hydrant/assets/${name}`)
    t.equal(response.statusCode, 200, name)
    t.equal(response.headers['cache-control'], 'public, max-age=31536000, immutable')
  }
  const script = two.manifest.modules['pages/index.tsx']?.js
  const packed = await app.inject({ url: `/_hydrant/assets/${script}`, headers: { 'accept-encoding': 'br' } })
  t.equal(packed.headers['content-encoding'], 'br')
  for (const name of onlyOne) t.equal((await app.inject(`/_hydrant/assets/${name}`)).statusCode, 404, name)
})

t.test('keeps nothing of a broken previous build', async (t) => {
  const dir = createSite(t, files('red'), 'site')
  const folder = join(dir, '.hydrant')
  const [manifest, client] = [join(folder, 'manifest.json'), join(folder, 'client')]
  const previous = `${dir}-previous`
  await build(dir)
  cpSync(folder, previous, { recursive: true })
  writeAll(dir, 'green')
  for (const breakIt of [
    () => rmSync(manifest),
    () => writeFileSync(manifest, '{"clientFiles":'),
    () => writeFileSync(manifest, 'null'),
    () => writeFileSync(manifest, '{"clientFiles":"all"}'),
    () => writeFileSync(manifest, '{"clientFiles":["../manifest.json","missing.js",5]}'),
    () => rmSync(client, { recursive: true }),
  ]) {
    rmSync(folder, { recursive: true })
    cpSync(previous, folder, { recursive: true })
    breakIt()
    const { keptFiles, manifest } = await build(dir)
    t.equal(keptFiles, 0)
    t.strictSame(
      readdirSync(client).filter((name) => !/\.(br|gz)$/.test(name)),
      manifest.clientFiles,
    )
  }
})
