/** Where the modules of a bundle run. It is not the `Side` of a failure, `server` or `client`. */
export type BundleTarget = 'browser' | 'server'
