import type { BrowserModule } from './read-browser-module.ts'

/** A stylesheet for the browser. */
export interface Stylesheet {
  css: string
  /** The ids of the files that it consists of. */
  inputs: string[]
  /** Whether esbuild warns about it. */
  hasWarnings: boolean
}

/** Compiles modules and stylesheets for browsers, one by one. Rejects with esbuild's BuildFailure. */
export interface BrowserCompiler {
  browser(id: string): Promise<BrowserModule>
  stylesheet(id: string): Promise<Stylesheet>
  /** The assets that the compiled modules use, by their names in the client folder. */
  asset(name: string): Uint8Array | undefined
}
