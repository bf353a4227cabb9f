// Shows a visitor that a navigation is pending, and announces the new page.

import { navigationStore } from '../shared/tree/browser-state.ts'

const SHOW_AFTER_MS = 150

/** Shows a thin bar at the top while a slow page is pending, in the color `--hydrant-progress` or the accent color. */
export function showProgress() {
  const bar = document.createElement('div')
  bar.className = 'hydrant-progress'
  bar.ariaHidden = 'true'
  bar.style.cssText =
    'position:fixed;inset:0 0 auto;height:3px;z-index:2147483647;pointer-events:none;forced-color-adjust:none;background:var(--hydrant-progress,Highlight)'
  let timer: number | undefined
  navigationStore.subscribe(() => {
    clearTimeout(timer)
    if (navigationStore.get().state === 'idle') return bar.remove()
    if (!bar.isConnected) timer = setTimeout(start, SHOW_AFTER_MS)
  })

  function start() {
    const root = document.documentElement
    bar.style.transformOrigin = getComputedStyle(root).direction === 'rtl' ? '100%' : '0'
    root.append(bar)
    bar.animate(
      { transform: ['scaleX(0)', 'scaleX(.7)', 'scaleX(.95)'] },
      { duration: 1e4, easing: 'ease-out', fill: 'forwards' },
    )
  }
}

/** It takes screen readers a moment to notice a region that was added or moved. They then read its next text. */
const NOTICED_AFTER_MS = 100

/** Returns the function that makes a screen reader read a text, such as a page's title after a navigation. */
export function createAnnouncer() {
  const region = document.createElement('div')
  region.ariaLive = 'assertive'
  region.className = 'hydrant-announcer'
  region.style.cssText = 'position:fixed;clip-path:inset(50%)'
  let newest: string
  let timer: number | undefined
  const write = () => {
    timer = undefined
    region.textContent = newest
  }

  /** Returns whether the region has been moved. Screen readers ignore everything outside of a modal dialog. */
  function place(): boolean {
    const parent = openDialog() ?? document.body
    if (region.parentNode === parent) return false
    region.textContent = ''
    parent.append(region)
    return true
  }

  place()
  return (text: string) => {
    newest = text
    if (place()) timer ??= setTimeout(write, NOTICED_AFTER_MS)
    else if (timer === undefined) write()
  }
}

/** Returns the modal dialog that the visitor uses: of several, the one with the focus. */
function openDialog(): Element | undefined | null {
  const selector = 'dialog:modal'
  return document.activeElement?.closest(selector) ?? [...document.querySelectorAll(selector)].at(-1)
}
