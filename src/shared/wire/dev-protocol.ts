// The messages that `hydrant dev` sends to open pages, as the data of server-sent events.

/** The path of the events, below the base. */
export const DEV_PATH = '/_hydrant/dev'

/** The site has changed. The page keeps its state. */
export interface DevUpdate {
  type: 'update'
  /** The modules to import again, by id, with the names of their scripts in the assets folder. */
  modules: readonly { id: string; file: string }[]
  /** The names, in the assets folder, of the stylesheets to load again. */
  styles: readonly string[]
  /** Paths of files in `public/` that have changed. */
  files: readonly string[]
  /** Whether to run the loads of the page again. */
  data: boolean
}

/** The page must be loaded again, because its modules cannot be replaced. */
export interface DevReload {
  type: 'reload'
}

export type DevMessage = DevUpdate | DevReload
