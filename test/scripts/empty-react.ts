/**
 * Packages of a site that is built and never requested, where the code of React is not the point. esbuild bundles and
 * minifies the real ones for 0.1 s of a processor in each build.
 */
export const EMPTY_REACT = {
  'node_modules/react/package.json': '{ "name": "react", "version": "19.2.0" }',
  'node_modules/react/index.js': '',
  'node_modules/react/jsx-runtime.js': '',
  'node_modules/react-dom/package.json': '{ "name": "react-dom", "version": "19.2.0" }',
  'node_modules/react-dom/index.js': '',
  'node_modules/react-dom/client.js': '',
}
