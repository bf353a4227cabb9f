import { addTransitionType, startTransition } from 'react'
import type { Tree } from '../../shared/tree/app-tree.tsx'
import { isBefore } from '../../shared/wire/navigation-protocol.ts'
import type { App } from '../app.tsx'
import { createDefaults } from '../field-defaults.ts'
import { meetVisitor } from '../kept-text.ts'
import { removeNotices } from '../notice.ts'
import { createAnnouncer } from '../progress.ts'
import { extrasOf } from '../read-page.ts'

/** A page that has been fetched. */
export interface Page {
  tree: Tree
  /** The part of the tree's data that came with this page. */
  newData: readonly unknown[]
  /** How many actions had changed data when the page was requested, its own action included. */
  version: number
  /** Resolves when the parts of the data that follow later have arrived, or never will; null if all are there. */
  rest: Promise<void> | null
  /** The mark of the visitor; missing if the response says nothing. */
  visitor?: string | undefined
  /** What a live page contains of all that was published, which grows; empty if that is not known; missing for any other page. */
  live?: string | undefined
  /** Whether it has the data of live layouts of the page before. */
  keepsLive?: boolean | undefined
  /** Stops receiving the page's deferred data. */
  stop(): void
}

export type PageView = ReturnType<typeof createPageView>

/** Creates the functions that show pages. `prepare` is called before a page is replaced, and `shown` after that. */
export function createPageView(app: App, guardTexts: () => Promise<void>, prepare: () => void, shown: () => void) {
  const announce = createAnnouncer()
  const inTransition = createPageTransition()
  const defaults = createDefaults()
  const waiting = new Set<() => void>()
  const { live } = app.boot
  let onScreen: Page = { tree: app.tree, newData: [], version: 0, rest: null, stop() {}, live }
  /** The page that React has been given last. A transition may take a while before it is on the screen. */
  let coming = onScreen

  /** Replaces the page. Resolves when this one, or a later one in its place, is in the document, with false for another address. */
  async function replace(fetched: Page, transition?: PageTransition): Promise<boolean> {
    const { live, keepsLive } = fetched
    const page = {
      ...fetched,
      tree: keepEqual(keepLayouts(fetched, app.tree), app.tree),
      live: keepsLive && live !== undefined ? earlierOf(live, coming.live) : live,
    }
    if (coming !== onScreen && !sharesData(coming, page)) coming.stop()
    coming = page
    await guardTexts()
    prepare()
    meetVisitor(page.visitor)
    defaults.look()
    await new Promise<void>((resolve) => {
      waiting.add(resolve)
      const earlier = [...waiting]
      void inTransition(() => app.show(page.tree), transition).then(() => {
        const { actionData, invalid } = extrasOf(page.tree)
        defaults.show(actionData === undefined && !invalid)
        // React has been given newer data already.
        if (coming !== page) defaults.look()
        for (const done of earlier) {
          waiting.delete(done)
          done()
        }
        // A layout that stays may still wait for data of the page before.
        if (!sharesData(onScreen, page)) onScreen.stop()
        onScreen = page
        shown()
      })
    })
    return onScreen.tree.address === page.tree.address
  }

  /** Replaces the page, removes its notices, and announces the new one to screen readers. Returns as `replace`. */
  async function show(page: Page, transition: PageTransition = { type: 'submit' }): Promise<boolean> {
    const isThere = await replace(page, transition)
    removeNotices()
    if (isThere) announce(document.title)
    return isThere
  }

  return {
    announce,
    replace,
    show,
    onScreen: () => onScreen,
    /** The page that is shown next, or is in the document. */
    coming: () => coming,
  }
}

/** Returns the tree with the newest data of the layouts that stay: a refresh may have come after the page was requested. */
function keepLayouts({ tree, newData }: Page, { layouts, data }: Tree): Tree {
  const kept = Math.min(tree.layouts.length, tree.data.length - newData.length)
  const staying = tree.layouts.slice(0, kept)
  if (!staying.every(({ key }, index) => key === layouts[index]?.key)) return tree
  return { ...tree, data: tree.data.map((value, index) => (index < kept ? data[index] : value)) }
}

/** Returns a tree with the URL and the parameters of the tree before it, if they are equal: see `page-values.ts`. */
function keepEqual(tree: Tree, before: Tree): Tree {
  const isAtSameUrl = tree.address.url.href === before.address.url.href
  const extras = extrasOf(tree)
  const params = equalOf(extras.params, extrasOf(before).params)
  const data = [...tree.data.slice(0, tree.layouts.length + 1), { ...extras, params }]
  return {
    ...tree,
    address: isAtSameUrl ? before.address : tree.address,
    params: equalOf(tree.params, before.params),
    data: params === undefined ? tree.data : data,
  }
}

/** Returns the value before, if both are plain objects with the same properties. */
function equalOf<Params>(value: Params, before: Params): Params {
  const [properties, others] = [value, before].map((params) =>
    params && Object.getPrototypeOf(params) === Object.prototype ? new Map(Object.entries(params)) : null,
  )
  const isEqual =
    properties &&
    properties.size === others?.size &&
    [...properties].every(([name, part]) => others.has(name) && Object.is(others.get(name), part))
  return isEqual ? before : value
}

function sharesData({ newData }: Page, { tree }: Page): boolean {
  return newData.some((data) => data && tree.data.includes(data))
}

/** How a visitor comes to a page. */
export type TransitionType = 'forward' | 'back' | 'replace' | 'submit'

export interface PageTransition {
  type: TransitionType
  /** Whether the browser has animated the change of page already. */
  isAnimated?: boolean
}

/** A second type of the transitions that nothing may animate. */
const STILL = 'hydrant-still'

/**
 * Creates the function that shows a page in a React transition. The transition has the type of the `PageTransition`,
 * or none without it. `<ViewTransition>` does not animate the transition if the browser has animated the change of
 * page already, or if the visitor prefers reduced motion.
 */
function createPageTransition() {
  if ('startViewTransition' in document) addStyles()

  return (show: () => Promise<void>, transition?: PageTransition): Promise<void> => {
    let shown = Promise.resolve()
    startTransition(() => {
      // React before 19.3 has no types.
      if (transition && addTransitionType) {
        addTransitionType(transition.type)
        if (transition.isAnimated || matchMedia('(prefers-reduced-motion:reduce)').matches) addTransitionType(STILL)
      }
      shown = show()
    })
    return shown
  }
}

function addStyles() {
  const parts = ['group', 'image-pair', 'old', 'new']
  const selectors = parts.map((part) => `:root:active-view-transition-type(${STILL})::view-transition-${part}(*)`)
  // A content security policy does not apply to such a stylesheet.
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`${selectors}{animation:none!important}`)
  document.adoptedStyleSheets.push(sheet)
}

/** Returns the position of a live page that has the data of two others; an empty string if it is not known. */
function earlierOf(position: string, other = ''): string {
  if (isBefore(position, other)) return position
  return position === other || isBefore(other, position) ? other : ''
}
