import { addTransitionType, startTransition } from 'react'

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
export function createPageTransition() {
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
