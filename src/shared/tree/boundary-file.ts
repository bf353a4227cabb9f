/** Matches the path of `boundary.tsx`, the module beside this one, in the source map of a browser script. */
export const BOUNDARY_FILE = /(?:^|\/)shared\/tree\/boundary\.[jt]sx?$/
