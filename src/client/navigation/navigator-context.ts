import type { App } from '../app-state.ts'
import type { createActivity } from './navigation-activity.ts'

/** The state that navigations and forms share. */
export interface NavigatorState {
  /** The URL of the page in the document, as long as the address bar already has that of another page; else null. */
  urlOnScreen: string | null
  /** How many times an action has, or may have, changed data. */
  version: number
  /** How many times the visitor has left for another page. */
  departures: number
  /** How many forms have been sent from this document. */
  formsSent: number
  /** How many forms are being sent. */
  pendingForms: number
  /** How many redirects in a row have been followed. */
  redirects: number
}

/** The objects that navigations and forms share. */
export interface NavigatorContext {
  app: App
  state: NavigatorState
  /** Begins a state of `useNavigation`. */
  begin: ReturnType<typeof createActivity>
}
