#!/usr/bin/env node
// The installed package has the program in a bundle. See `scripts/vendor/bundle-server.ts`.
import '#program'
