/// <reference lib="dom" />

// Images that are imported with `?image`, in Chromium: built with the real sharp, and in development.

import t from 'tap'
import { copyApp } from '../build-app.ts'
import { createSampleImages, linkSharp } from '../sample-images.ts'
import { serve, writeFiles } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import { launchChromium, type OpenPage, type Owner } from './chromium.ts'
import { keepsState, startDevSite } from './dev/dev-site.ts'

const make = await createSampleImages(t.testdir({}))
const images = {
  'images/photo.jpg': await make.photo(900, 600).jpeg({ quality: 95 }).toBuffer(),
  'images/other.png': await make.photo(400, 300, 6).png().toBuffer(),
}

/** Completes a copy of the site `assets`, whose own images are tiny. */
function prepare(dir: string) {
  linkSharp(dir)
  writeFiles(dir, images)
}

const dir = copyApp(t, 'assets')
prepare(dir)
await buildSharing({ dir })
const { app } = await serve(t, dir, { ledger: false })
const address = `${await app.listen({ port: 0, host: '127.0.0.1' })}/image`
const chromium = await launchChromium(t)

/** Opens a tab in which these formats are unknown. Returns also the names of the images that it requests. */
async function open(t: Owner, unknown: readonly string[] = []): Promise<OpenPage & { requested: string[] }> {
  const opened = await chromium.open({}, t)
  const requested: string[] = []
  opened.page.on('request', (request) => {
    const [, name] = /assets\/([\w.-]+)\.(?:jpg|png|avif|webp)$/.exec(request.url()) ?? []
    if (name !== undefined) requested.push(request.url().slice(request.url().lastIndexOf('/') + 1))
  })
  // The names of formats in the protocol.
  if (unknown.length > 0)
    await opened.protocol.send('Emulation.setDisabledImageTypes', { imageTypes: [...unknown] as ('avif' | 'webp')[] })
  return { ...opened, requested }
}

async function decoded(page: OpenPage, id: string) {
  return await page.evaluate(async (id) => {
    const image = document.querySelector<HTMLImageElement>(`#${id}`)
    await image?.decode()
    const { width = 0, height = 0 } = image?.getBoundingClientRect() ?? {}
    return { file: image?.currentSrc.replace(/.*\//, ''), width, height, natural: image?.naturalWidth }
  }, id)
}

t.test('a page loads the AVIF copy that fits, and nothing moves', async (t) => {
  const page = await open(t)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.page.route('**/*.avif', async (route) => {
    await released
    await route.continue()
  })
  await page.goto(address, 'commit')
  await page.hydrated()
  const before = await page.evaluate(topOf, '#after')
  t.equal(Math.round(before), Math.round((640 * 2) / 3), 'the place is reserved')
  release()
  const { file, width, height, natural } = await decoded(page, 'photo')
  t.match(file, /^photo-[A-Z2-7]{8}-720\.avif$/)
  t.strictSame([width, height, natural], [640, before, 640], 'its size comes from the attribute sizes')
  t.equal(await page.evaluate(topOf, '#after'), before)
  t.equal(await page.evaluate(readShift, null), 0)
  t.strictSame(page.requested, [file])
  t.strictSame(page.errors, [])
})

for (const [unknown, expected] of [
  [['avif'], /^photo-[A-Z2-7]{8}-720\.webp$/],
  [['avif', 'webp'], /^photo-[A-Z2-7]{8}\.jpg$/],
] as const) {
  t.test(`a browser without ${unknown.join(' and ')} loads another format`, async (t) => {
    const page = await open(t, unknown)
    await page.goto(address, 'load')
    const { file, width } = await decoded(page, 'photo')
    t.match(file, expected)
    t.equal(width, 640)
    t.strictSame(page.requested, [file])
  })
}

t.test('a navigation loads the copies that the visitor sees', async (t) => {
  const page = await open(t)
  await page.goto(address, 'load')
  await page.hydrated()
  page.requested.length = 0
  await page.click('#next')
  await page.page.locator('#near').waitFor()
  const { file, width, height } = await decoded(page, 'near')
  t.match(file, /^other-[A-Z2-7]{8}-300\.avif$/)
  t.strictSame([width, height], [300, 400], 'the orientation in the file counts')
  t.strictSame(page.requested, [file], 'neither the file itself nor the image below')
  await page.page.locator('#far').scrollIntoViewIfNeeded()
  t.equal((await decoded(page, 'far')).file, file)
  t.strictSame(page.errors, [])
})

t.test('hydrant dev serves the file at its size, and shows edits', async (t) => {
  const site = await startDevSite(t, 'assets', { prepare })
  const page = await site.open('/image')
  const { file, height } = await decoded(page, 'photo')
  t.match(file, /^photo-[A-Z2-7]{8}\.jpg$/)
  t.ok(height > 0)
  const smaller = await make.photo(90, 60).jpeg().toBuffer()
  await keepsState(t, page, () => site.write('images/photo.jpg', smaller), '#size', '90')
  const edited = await decoded(page, 'photo')
  t.match(edited, { natural: 90 })
  t.not(edited.file, file)
  site.write('images/photo.jpg', 'no image')
  await site.dev.waitFor(/HYD_BUILD_IMAGE.* images\/photo\.jpg/)
  site.write('images/photo.jpg', images['images/photo.jpg'])
  await page.says('#size', '900')
  t.strictSame(page.messages, [], 'React has found no difference')
})

function topOf(selector: string): number {
  return document.querySelector(selector)?.getBoundingClientRect().top ?? 0
}

/** Returns the layout shift of the document so far. */
function readShift(): Promise<number> {
  return new Promise((resolve) => {
    let sum = 0
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += Number(Reflect.get(entry, 'value'))
    })
    observer.observe({ type: 'layout-shift', buffered: true })
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
  })
}
