import type { Build, LayoutChain, Route } from './load-build.ts'

/**
 * A build whose code changes while it is served. At first its components are placeholders: a route's modules are
 * loaded with the first request.
 */
export interface LiveBuild {
  /** Returns the build for a base. */
  open(base: string): Promise<Build>
  /**
   * Returns the current code of a route, by its id; null if it has not changed since the last call. Rejects with
   * whatever a module of the route throws.
   */
  refreshRoute(id: string): Promise<Route | null>
  /**
   * Returns the layouts and error pages of a route that can be loaded, after `refreshRoute` has rejected. The layouts end
   * at the first one that cannot be loaded, and the page has placeholders. Null if there is no such route. Rejects if the
   * exports of the layouts are not valid.
   */
  findWorkingRoute(id: string): Promise<Route | null>
  /** Returns the current code for requests that match no page; null if it has not changed since the last call. */
  refreshRoot(): Promise<Pick<Build, 'root' | 'guardedFolders'> | null>
  /**
   * Returns the layouts and error pages that can be loaded for requests that match no page, after `refreshRoot` has
   * rejected; null if it has not. The layouts end at the first one that cannot be loaded. Rejects if the exports of the
   * layouts are not valid.
   */
  findWorkingRoot(): Promise<LayoutChain | null>
  /**
   * Returns the HTML page that says why a route cannot be built, by its id, which is empty for requests that match no page;
   * null if it can.
   */
  brokenPage(id: string): string | null
}
