import type { PrerenderedRedirect } from '../cache/prerendered-pages.ts'
import type { StoredResponse } from '../cache/shared/shared-store.ts'
import type { SourceFrame } from '../errors/failure-record.ts'

/** A request for a page while the site is built. */
export interface CollectedRequest {
  /** The id of the request. */
  id: string
  /** The site's route: `/products/[id]`. */
  route: string
  /** The path, as Hydrant spells it, with the base. */
  path: string
  params: Record<string, string>
}

/** Takes the responses of prerendered pages while a site is built. */
export interface ResponseCollector {
  store(request: CollectedRequest, response: StoredResponse): void
  storeRedirect(request: CollectedRequest, redirect: PrerenderedRedirect): void
  /**
   * Takes the reason why a response is not the same for every visitor, as the end of a sentence.
   *
   * @param place The line that has read a value of the visitor; null if there is no such line.
   */
  refuse(request: CollectedRequest, reason: string, place: SourceFrame | null): void
}
