// Who owns what a tab keeps for its visitor: the text of forms, and the state of `useRestoredState`. Each part has the
// mark of the visitor for whom it was kept, or an empty one. Only the visitor gets the mark, which says no more than that
// two pages have the same visitor. So it needs no key: whoever can read it can read the page.

/** Another person may use the tab after this time. */
export const KEPT_MS = 600_000

/** The key of a form that was not accepted and led to another page, in place of the key of an entry of the history. */
export const FORM = 0

export interface Owned {
  /** The key of the page's entry of the history. Without the Navigation API: its URL. */
  key: string | typeof FORM
  /** Mark of the visitor; empty for nobody. */
  by: string
  /** When it was kept. */
  at: number
  /** For a form: an action that may have begun a session has been accepted since. */
  isPassed?: boolean
}

// The items of `sessionStorage` are named here and in the scripts that use them. An exported name would become a script
// of its own. `hydrantVisitor` is the last known mark, and `hydrantState` a list of `Owned`.

/**
 * Returns what is left when a page says who its visitor is: what nobody owned becomes the visitor's, and what another one
 * owns is dropped. A page without a session drops nothing, because the session may only have expired.
 */
export function claim<Kept extends Owned>(kept: readonly Kept[], visitor: string): readonly Kept[] {
  if (visitor === '') return kept
  return kept.filter(({ by }) => by === '' || by === visitor).map((one) => ({ ...one, by: visitor }))
}

/** Returns the script with which a document does the same to the state of pages, before any other script is loaded. */
export function visitorScript(visitor: string): string {
  const mark = JSON.stringify(visitor)
  return `;try{sessionStorage.hydrantVisitor=${mark};${visitor && claimScript(mark)}}catch{}`
}

const claimScript = (mark: string) =>
  `sessionStorage.hydrantState=JSON.stringify(JSON.parse(sessionStorage.hydrantState).filter(k=>!k.by||k.by==${mark}).map(k=>({...k,by:${mark}})))`
