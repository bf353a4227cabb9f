// Scrolls to a place that a page gets only with a part that arrives late. The browser itself scrolls once, when the
// first part of the page is shown.

import { decodeLoosely } from '../../shared/decode-loosely.ts'

/** The input of visitors after which a page no longer moves by itself. */
const INPUT = ['keydown', 'pointerdown', 'touchmove', 'wheel']
/** React may show the last part this much later than it arrives. */
const LAST_PART_MS = 1_000

interface Place {
  isThere(): boolean
  scroll(): void
}

/** Creates the functions that remember where the visitor leaves a page, and scroll there when the visitor is back. */
export function createLateScroll() {
  /** The vertical position of each entry of the history that the visitor has left, by its key. */
  const positions = new Map<string, number>()

  function placeOf({ destination, navigationType }: NavigateEvent): Place | null {
    if (navigationType !== 'traverse') return fragmentOf(new URL(destination.url))
    const top = history.scrollRestoration === 'manual' ? 0 : (positions.get(destination.key) ?? 0)
    return top === 0 ? null : positionAt(top)
  }

  return {
    /** To be called before another page is shown. */
    leave() {
      const from = navigation.transition?.from
      if (from) positions.set(from.key, scrollY)
    },
    /**
     * To be called when the first part of a page is shown.
     *
     * @param rest Resolves when the other parts have arrived; null if all are there.
     */
    arrive(event: NavigateEvent, rest: Promise<void> | null) {
      const place = placeOf(event)
      if (!place) return
      if (rest && !place.isThere()) return scrollLater(place, rest)
      const { url } = event.destination
      // Firefox does not find a fragment that is percent-encoded when it scrolls after a navigation in place.
      if (event.navigationType !== 'traverse') {
        const check = () =>
          location.href === url && place.isThere() && !document.querySelector(':target') && place.scroll()
        navigation.addEventListener('navigatesuccess', check, { once: true })
      }
    },
  }
}

/** Scrolls when the place is in the document, unless the visitor does something else before. */
function scrollLater(place: Place, rest: Promise<void>) {
  const waiting = new AbortController()
  const { signal } = waiting
  const stop = () => waiting.abort()
  const observer = new MutationObserver(() => {
    if (!place.isThere()) return
    stop()
    place.scroll()
  })
  observer.observe(document.body, { childList: true, subtree: true })
  signal.addEventListener('abort', () => observer.disconnect())
  for (const type of INPUT) addEventListener(type, stop, { signal, capture: true, passive: true })
  // React starts navigations of its own to show a transition as loading.
  navigation.addEventListener('navigate', ({ info }) => info === 'react-transition' || stop(), { signal })
  void rest.then(() => setTimeout(stop, LAST_PART_MS))
}

function positionAt(top: number): Place {
  return {
    isThere: () => document.documentElement.scrollHeight - innerHeight >= top,
    scroll: () => scrollTo({ top, behavior: 'instant' }),
  }
}

function fragmentOf({ hash }: URL): Place | null {
  if (hash === '') return null
  const find = () => document.getElementById(hash.slice(1)) ?? document.getElementById(decodeLoosely(hash.slice(1)))
  // A navigation to the fragment also moves the place from which the Tab key continues, and sets `:target`.
  return { isThere: () => find() !== null, scroll: () => location.replace(location.href) }
}
