/** A script that the build has not marked. A test adds it to the page. */
declare const notBuilt: { fail(value?: unknown): never; reject(): void }
