import { build } from './build.ts'

self.onmessage = () => self.postMessage(`worker ${build}`)
