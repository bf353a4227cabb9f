// Images that modules import with `?image`, built with the real sharp and without it.

import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { BuildError } from '../../scripts/build-problem.ts'
import { formatReport } from '../../scripts/commands/format-report.ts'
import { formatProblem } from '../../scripts/terminal/format-error.ts'
import type { ImportedImage } from '../../src/shared/react.ts'
import { createSampleImages, linkSharp } from '../sample-images.ts'
import { type Files, serve, writeFiles } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { EMPTY_REACT } from './empty-react.ts'

const make = await createSampleImages(t.testdir({}))
const photo = await make.photo(600, 400).jpeg().toBuffer()

/** Imports images in a page whose load returns them to both sides, as `{ name: image }`. */
function importing(images: Record<string, Buffer | string>): Files {
  const names = Object.keys(images)
  const imports = names.map((name, index) => `import image${index} from '../images/${name}?image'\n`)
  const members = names.map((name, index) => `${JSON.stringify(name)}: image${index}`)
  return {
    'pages/index.tsx': `${imports.join('')}import { Image } from 'hydrant/react'
const images = { ${members.join(', ')} }
export default () => Object.values(images).map((image) => <Image key={image.src} src={image} alt="" />)
`,
    'pages/index.server.ts': `${imports.join('')}export const load = () => ({ ${members.join(', ')} })\n`,
    ...Object.fromEntries(names.map((name) => [`images/${name}`, images[name] ?? ''])),
  }
}

function createImageSite(t: Test, images: Record<string, Buffer | string>, withSharp = true): string {
  const dir = createSite(t, importing(images))
  if (withSharp) linkSharp(dir)
  return dir
}

const withPhoto = createImageSite(t, { 'photo.jpg': photo })
const { manifest: manifestOfPhoto } = await buildSharing({ dir: withPhoto })

async function readImages(t: Test, dir: string): Promise<Record<string, ImportedImage>> {
  const { get } = await serve(t, dir, { base: '/shop', ledger: false })
  return (await get('/shop', { accept: 'application/json' })).json()
}

const widthsOf = ({ sources }: ImportedImage) =>
  sources.map(({ type, srcSet }) => [type, [...srcSet.matchAll(/ (\d+)w/g)].map(([, width]) => Number(width))])

t.test('a build makes copies of an image in AVIF and WebP, once', async (t) => {
  const dir = createImageSite(t, { 'a photo.jpg': photo, 'same.jpeg': photo })
  const steps: string[] = []
  const first = await buildSharing({ dir, onProgress: (step) => steps.push(step) })
  t.strictSame(first.images, { encoded: 6, cached: 0, withoutSharp: 0 }, 'equal files share their copies')
  t.ok(steps.includes('images'))
  t.match(formatReport(first), 'images: 6 files in AVIF and WebP, 6 of them new\n')
  const images = await readImages(t, dir)
  const image = images['a photo.jpg']
  if (!image) throw new Error('The image is missing.')
  t.match(image, { src: /^\/shop\/_hydrant\/assets\/a-photo-[A-Z2-7]{8}\.jpg$/, width: 600, height: 400 })
  const widths = [320, 480, 600]
  t.strictSame(widthsOf(image), [
    ['image/avif', widths],
    ['image/webp', widths],
  ])
  const { app } = await serve(t, dir, { ledger: false })
  for (const { type, srcSet } of image.sources) {
    for (const [url = ''] of srcSet.split(', ').map((one) => one.split(' '))) {
      const { statusCode, headers, rawPayload } = await app.inject(url.replace('/shop', ''))
      t.match(
        { statusCode, headers },
        { statusCode: 200, headers: { 'content-type': type, 'cache-control': /immutable/ } },
      )
      t.ok(rawPayload.length < photo.length)
    }
  }
  const clientFiles = [...first.manifest.clientFiles]

  await rm(join(dir, '.hydrant'), { recursive: true })
  const later: string[] = []
  const second = await buildSharing({ dir, onProgress: (step) => later.push(step) })
  t.strictSame(second.images, { encoded: 0, cached: 6, withoutSharp: 0 })
  t.notOk(later.includes('images'))
  t.strictSame(second.manifest, first.manifest, 'the cache changes nothing')

  writeFiles(dir, { 'images/a photo.jpg': await make.photo(600, 300).jpeg().toBuffer() })
  const third = await buildSharing({ dir })
  t.equal(third.images.encoded, 6)
  t.not(third.manifest.clientFiles.join(), clientFiles.join())
})

t.test('the browser and the server have the same URLs', async (t) => {
  const [dir, manifest] = [withPhoto, manifestOfPhoto]
  const script = readFileSync(join(dir, '.hydrant/client', manifest.modules['pages/index.tsx']?.js ?? ''), 'utf8')
  const files = manifest.clientFiles.filter((name) => name.startsWith('photo-'))
  t.equal(files.length, 7)
  const html = (await (await serve(t, dir, { ledger: false })).get('/')).body
  for (const name of files) {
    t.match(html, `/_hydrant/assets/${name}`)
    t.match(script, name)
  }
})

t.test('the orientation in the file counts, animations and drawings have no copies', async (t) => {
  const animated = make.animation(40, 30)
  const png = await make.dot(20).png().toBuffer()
  const control = Buffer.from([0, 0, 0, 8, ...Buffer.from('acTL'), 0, 0, 0, 1, 0, 0, 0, 0, 0xb9, 0x3d, 0x9f, 0xb0])
  // The chunk comes after the signature and the header.
  const animatedPng = Buffer.concat([png.subarray(0, 33), control, png.subarray(33)])
  const dir = createImageSite(t, {
    'turned.jpg': await make.photo(400, 330, 6).jpeg().toBuffer(),
    'turned.png': await make.photo(400, 330, 6).png().toBuffer(),
    'turned.avif': await make.photo(400, 330, 6).avif({ quality: 95 }).toBuffer(),
    'turned.webp': await make.photo(400, 330, 6).webp({ quality: 100 }).toBuffer(),
    'moving.gif': await animated.gif().toBuffer(),
    'moving.webp': await animated.webp().toBuffer(),
    'moving.png': animatedPng,
    'leaf.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 12"><path d="M0 0h24v12z"/></svg>\n',
    'coarse.AVIF': await make.photo(300, 200).avif({ quality: 1 }).toBuffer(),
  })
  const { images: summary } = await buildSharing({ dir })
  t.equal(summary.withoutSharp, 0)
  const images = await readImages(t, dir)
  for (const name of ['turned.jpg', 'turned.png', 'turned.avif'])
    t.match(images[name], { width: 330, height: 400, sources: [{ type: 'image/avif' }] }, name)
  t.match(images['turned.webp'], { width: 400, height: 330, sources: [{ type: 'image/avif' }] }, 'as in Chromium')
  for (const name of ['moving.gif', 'moving.webp', 'moving.png', 'leaf.svg', 'coarse.AVIF'])
    t.strictSame(images[name]?.sources, [], `${name}: no copies, or none that is smaller`)
  t.match(images['leaf.svg'], { width: 24, height: 12 })
  t.match(images['moving.gif'], { width: 40, height: 30 })
})

t.test('without sharp, a build knows the sizes, and says how to get copies', async (t) => {
  const images = {
    'photo.jpg': await make.photo(40, 30, 8).jpeg().toBuffer(),
    'dot.png': await make.dot(8).png().toBuffer(),
  }
  const dir = createImageSite(t, images, false)
  const build = await buildSharing({ dir })
  t.strictSame(build.images, { encoded: 0, cached: 0, withoutSharp: 2 })
  t.match(
    formatReport(build),
    'images: 2 images have no copies in AVIF and WebP; to make them, run "npm install --save-dev sharp"\n',
  )
  t.strictSame(build.warnings, [])
  t.match(await readImages(t, dir), { 'photo.jpg': { width: 30, height: 40, sources: [] }, 'dot.png': { width: 8 } })

  await mkdir(join(dir, 'node_modules/sharp'), { recursive: true })
  await writeFile(join(dir, 'node_modules/sharp/index.js'), "throw new Error('No binary for this machine\\nHelp')\n")
  const broken = await buildSharing({ dir })
  t.strictSame(broken.images, { encoded: 0, cached: 0, withoutSharp: 0 })
  t.match(broken.warnings, [
    { code: 'HYD_BUILD_SHARP', message: /because sharp cannot be loaded: No binary for this machine$/ },
  ])
})

t.test('a file that is no image is an error that names it', async (t) => {
  const errorsOf = async (images: Record<string, Buffer | string>, withSharp: boolean) => {
    const dir = createImageSite(t, images, withSharp)
    writeFiles(dir, EMPTY_REACT)
    const error: unknown = await buildSharing({ dir }).catch((error: unknown) => error)
    return error instanceof BuildError ? error.problems.map(formatProblem) : [String(error)]
  }
  for (const withSharp of [true, false]) {
    t.strictSame(await errorsOf({ 'text.jpg': 'no image\n' }, withSharp), [
      `Error [HYD_BUILD_IMAGE] the image images/text.jpg cannot be used: its size cannot be read
  at images/text.jpg
Try: Replace it with a file that a browser displays, or import it without "?image", which gives only its URL.`,
    ])
  }
  const [cut = '', ...others] = await errorsOf({ 'cut.jpg': photo.subarray(0, photo.length / 2) }, true)
  t.match(cut, /^Error \[HYD_BUILD_IMAGE\] the image images\/cut\.jpg cannot be used: .*premature end/i)
  t.strictSame(others, [], 'once for both sides')
  t.match(await errorsOf({ 'wide.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n' }, false), [/images\/wide\.svg/])
  // The head of a TIFF file.
  const tiff = Buffer.from('49492a000800000002000001030001000000080000000101030001000000080000000000', 'hex')
  t.match(await errorsOf({ 'scan.png': tiff }, false), [/images\/scan\.png cannot be used: browsers do not show/])
})

t.test('an image that does not exist is an error at its import', async (t) => {
  const dir = createSite(t, {
    ...EMPTY_REACT,
    'pages/index.tsx': "import a from './none.jpg?image'\nexport default () => a.src\n",
  })
  const error: unknown = await buildSharing({ dir }).catch((error: unknown) => error)
  t.match(error, { problems: [{ code: 'HYD_BUILD_UNRESOLVED', location: { file: 'pages/index.tsx', line: 1 } }] })
})

t.test('a query that nothing handles is an error at its import', async (t) => {
  const dir = createSite(t, {
    ...EMPTY_REACT,
    'images/photo.jpg': photo,
    'pages/index.tsx': "import a from '../images/photo.jpg?w=100'\nexport default () => a\n",
  })
  const error: unknown = await buildSharing({ dir }).catch((error: unknown) => error)
  t.match(error, {
    problems: [{ message: /^Nothing in this site handles the query "\?w=100" .*"\?image"/, location: { line: 1 } }],
  })
})

t.test('a stylesheet keeps the query of a URL', async (t) => {
  const dir = createSite(t, {
    ...EMPTY_REACT,
    'images/photo.jpg': photo,
    'pages/index.tsx': "import './a.css'\nexport default () => <p />\n",
    'pages/a.css': 'body { background: url("../images/photo.jpg?image") }\n',
  })
  const { manifest } = await buildSharing({ dir })
  const [name = ''] = manifest.modules['pages/index.tsx']?.css ?? []
  t.match(readFileSync(join(dir, '.hydrant/client', name), 'utf8'), /url\("?\.\/photo-[A-Z2-7]{8}\.jpg\?image"?\)/)
})

t.test('copies that no build has used for a month are removed', async (t) => {
  const cache = join(withPhoto, 'node_modules/.cache/hydrant/images')
  const names = readdirSync(cache)
  t.equal(names.length, 6)
  writeFiles(cache, { 'unused.avif': 'old', 'recent.avif': 'new' })
  const old = new Date(Date.now() - 40 * 24 * 60 * 60 * 1000)
  for (const name of [...names, 'unused.avif']) utimesSync(join(cache, name), old, old)
  t.strictSame((await buildSharing({ dir: withPhoto })).images, { encoded: 0, cached: 6, withoutSharp: 0 })
  t.strictSame(readdirSync(cache).sort(), [...names, 'recent.avif'].sort())
})
