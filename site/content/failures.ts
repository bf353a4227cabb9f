/**
 * The channel of `node:diagnostics_channel` that gets what `onFailure` gets. hydrant.config.ts and the pages are bundles of
 * their own, so they share no variable.
 */
export const FAILURES = 'site:failures'
