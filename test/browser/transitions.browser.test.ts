/// <reference lib="dom" />

// The types of navigations’ transitions, which a site’s `<ViewTransition>` animates.

import { appendFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { copyApp } from '../build-app.ts'
import { listen } from '../server/lines.ts'
import { serve } from '../server/served.ts'
import { buildSharing } from '../shared-compression.ts'
import type { Owner } from './chromium.ts'
import { serveSmallSite, takesNavigations, type Visitor } from './navigation-site.ts'

const small = await serveSmallSite(t)

interface Seen {
  types: string[]
  matching: string[]
  animations: string[]
}

/** Opens a page that notes each view transition: its types, and what the browser animates. */
async function visit(t: Owner, init?: () => void): Promise<Visitor & { seen(count: number): Promise<Seen[]> }> {
  const visitor = await small.visit(t, init ? { init } : {})
  await visitor.page.addInitScript(() => {
    const seen: unknown[] = []
    const original = document.startViewTransition.bind(document)
    Object.assign(window, { seen })
    document.startViewTransition = (given) => {
      const transition = original(given)
      void transition.ready.then(() => {
        const types = [...((given as StartViewTransitionOptions).types ?? [])]
        const matching = types.filter((type) =>
          document.documentElement.matches(`:active-view-transition-type(${type})`),
        )
        // React removes elements that do not move by animations without a duration.
        const animations = document
          .getAnimations()
          .map(({ effect }) => effect as KeyframeEffect)
          .filter((effect) => effect.getComputedTiming().duration !== 0)
          .map(({ pseudoElement }) => pseudoElement ?? '')
          .filter((name) => name.startsWith('::view-transition'))
        return transition.finished.then(() => seen.push({ types, matching, animations }))
      })
      return transition
    }
  })
  return {
    ...visitor,
    async seen(count) {
      const handle = await visitor.page.waitForFunction((count) => {
        const { seen } = window as unknown as { seen: Seen[] }
        return seen.length >= count && seen
      }, count)
      return (await handle.jsonValue()) as Seen[]
    },
  }
}

const typesOf = (seen: readonly Seen[]) => seen.map(({ types }) => types)

t.test('links, Back, Forward, replacements, redirects and forms have a type each, and are animated', async (t) => {
  const visitor = await visit(t)
  const { page } = visitor
  await visitor.start('/one')
  await visitor.click('/two')
  await visitor.stands('Two')
  await visitor.seen(1)
  await page.goBack()
  await visitor.stands('One')
  await visitor.seen(2)
  await page.goForward()
  await visitor.stands('Two')
  await visitor.seen(3)
  await visitor.evaluate(async () => void (await navigation.navigate('/one', { history: 'replace' }).finished), null)
  await visitor.stands('One')
  await visitor.seen(4)
  await visitor.click('/moves')
  await visitor.stands('Two')
  await visitor.seen(5)
  await visitor.evaluate(async () => void (await navigation.navigate('/goes').finished), null)
  await visitor.stands('Goes')
  await visitor.seen(6)
  await page.getByRole('button', { name: 'Go' }).click()
  await visitor.stands('One')
  const seen = await visitor.seen(7)
  t.strictSame(typesOf(seen), [['forward'], ['back'], ['forward'], ['replace'], ['forward'], ['forward'], ['submit']])
  for (const { types, matching, animations } of seen) {
    t.strictSame(matching, types, 'stylesheets can select it')
    t.ok(animations.length > 0, `${types} is animated`)
  }
  t.strictSame(visitor.documents, [])
  t.strictSame(visitor.errors, [])
})

t.test('elements of two pages are shared, and a type selects the animation of others', async (t) => {
  const visitor = await visit(t)
  await visitor.start('/teas')
  await visitor.click('#assam')
  await visitor.stands('Tea')
  await visitor.seen(1)
  await visitor.page.goBack()
  await visitor.shown('#assam')
  const seen = await visitor.seen(2)
  for (const { animations } of seen) t.ok(animations.includes('::view-transition-group(tea-assam)'))
  const others = seen.map(({ animations }) =>
    animations.filter((name) => /(old|new)\(_/.test(name)).map((name) => name.slice(0, 21)),
  )
  t.strictSame(others, [['::view-transition-new'], ['::view-transition-old']])
})

t.test('nothing moves for visitors who prefer that', async (t) => {
  const visitor = await visit(t)
  await visitor.page.emulateMedia({ reducedMotion: 'reduce' })
  await visitor.start('/one')
  await visitor.click('/two')
  await visitor.stands('Two')
  t.strictSame(
    (await visitor.seen(1)).map(({ animations }) => animations),
    [[]],
  )
  t.strictSame(visitor.errors, [])
})

t.test('nothing is animated twice: the browser may have animated Back', async (t) => {
  const visitor = await visit(t, () =>
    Object.defineProperty(NavigateEvent.prototype, 'hasUAVisualTransition', {
      get() {
        return this.navigationType === 'traverse'
      },
    }),
  )
  await visitor.start('/one')
  await visitor.click('/two')
  await visitor.stands('Two')
  await visitor.seen(1)
  await visitor.page.goBack()
  await visitor.stands('One')
  const seen = await visitor.seen(2)
  t.strictSame(
    seen.map(({ animations }) => animations.length > 0),
    [true, false],
  )
  t.match(typesOf(seen), [['forward'], ['back']])
})

t.test('React before 19.3 has no types, and navigates all the same', async (t) => {
  const dir = copyApp(t, 'scripts')
  const react = join(dir, 'node_modules/react')
  cpSync('node_modules/react', react, { recursive: true })
  appendFileSync(join(react, 'index.js'), '\ndelete module.exports.addTransitionType\n')
  await buildSharing({ dir })
  const { app } = await serve(t, dir)
  const origin = await listen(t, app)
  const { page, errors, goto } = await small.chromium.open({}, t)
  await goto(origin, 'load')
  await takesNavigations(page)
  await page.locator('#other').click()
  await page.locator('h1', { hasText: 'Other' }).waitFor()
  t.equal(await page.evaluate(() => performance.getEntriesByType('navigation')[0]?.name), `${origin}/`)
  t.strictSame(errors, [])
})
