// Firefox, driven by its built-in protocol: each message is a JSON array after its length and a colon.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { endLater } from '../runner/kept.ts'
import { FIREFOX } from '../tools.ts'
import { until } from '../until.ts'
import { type DrivenPage, drivePage, type PageLoad } from './driven-page.ts'

/**
 * Firefox sends requests to the site under test only, and loads no page, add-on or process that the tests do not use.
 */
const PREFERENCES = {
  'marionette.port': 0,
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.newtabpage.enabled': false,
  'browser.sessionstore.interval': 1_800_000,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage': 'about:blank',
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.ipc.processPrelaunch.enabled': false,
  'extensions.autoDisableScopes': 15,
  'extensions.enabledScopes': 0,
  'extensions.systemAddon.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.dns.disablePrefetch': true,
  'places.history.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.cosmeticAnimations.enabled': false,
  'toolkit.telemetry.enabled': false,
}

const running = new Map<PageLoad, Promise<Command>>()

/** Launches Firefox, unless the process has one. Its page closes at the end of the test. */
export async function launchFirefox(t: Pick<Test, 'teardown'>, load: PageLoad = 'normal'): Promise<DrivenPage> {
  const started = running.get(load) ?? startFirefox(t, load)
  running.set(load, started)
  const command = await started
  const { value: first } = await command('WebDriver:GetWindowHandle', {})
  const { handle } = await command('WebDriver:NewWindow', { type: 'tab', focus: true })
  await command('WebDriver:SwitchToWindow', { handle })
  t.teardown(async () => {
    await command('WebDriver:DeleteAllCookies', {})
    await command('WebDriver:CloseWindow', {})
    await command('WebDriver:SwitchToWindow', { handle: first })
  })
  return drivePage({
    goto: (url) => command('WebDriver:Navigate', { url }),
    run: async (script) => (await command('WebDriver:ExecuteScript', { script, args: [], sandbox: null })).value,
    find: async (selector) =>
      (await command('WebDriver:FindElement', { using: 'css selector', value: selector })).value,
    click: (id) => command('WebDriver:ElementClick', { id }),
    type: (id, text) => command('WebDriver:ElementSendKeys', { id, text }),
  })
}

async function startFirefox(t: Pick<Test, 'teardown'>, load: PageLoad): Promise<Command> {
  const profile = mkdtempSync(join(tmpdir(), 'firefox-'))
  const preferences = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)})`,
  )
  writeFileSync(join(profile, 'user.js'), preferences.join(';\n'))
  const words = ['--headless', '--no-remote', '--marionette', '--profile', profile]
  const child = spawn(FIREFOX, words, { stdio: 'ignore', env: { ...process.env, HOME: profile } })
  const ended = once(child, 'exit')
  const portFile = join(profile, 'MarionetteActivePort')
  let socket: Socket | undefined
  endLater(t, async () => {
    running.delete(load)
    socket?.destroy()
    child.kill()
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  const isListening = until(() => existsSync(portFile) && readFileSync(portFile, 'utf8') !== '')
  const died = ended.then(([code, signal]) => {
    throw new Error(`Firefox ended with ${code ?? signal} before it could be driven.`)
  })
  await Promise.race([isListening, died])
  died.catch(() => {})
  socket = connect(Number(readFileSync(portFile, 'utf8')), '127.0.0.1')
  const command = await talk(socket)
  await command('WebDriver:NewSession', { pageLoadStrategy: load })
  return command
}

/** A new tab has a `handle`; other results are a `value`. */
type Result = { value: unknown; handle?: string }
type Command = (name: string, parameters: object) => Promise<Result>
type Answer = [type: 1, id: number, error: { message: string } | null, result: Result]

async function talk(socket: Socket): Promise<Command> {
  const waiting = new Map<number, (answer: Answer) => void>()
  let received = Buffer.alloc(0)
  let count = 0
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    for (let colon = received.indexOf(':'); colon !== -1; colon = received.indexOf(':')) {
      const end = colon + 1 + Number(received.subarray(0, colon).toString())
      if (received.length < end) return
      const message: Answer | object = JSON.parse(received.subarray(colon + 1, end).toString())
      received = received.subarray(end)
      // The first message introduces the browser and answers no command.
      if (Array.isArray(message)) waiting.get(message[1])?.(message as Answer)
    }
  })
  await once(socket, 'connect')
  return async (name, parameters) => {
    const id = ++count
    const text = JSON.stringify([0, id, name, parameters])
    socket.write(`${Buffer.byteLength(text)}:${text}`)
    const [, , error, result] = await new Promise<Answer>((resolve) => waiting.set(id, resolve))
    waiting.delete(id)
    if (error) throw new Error(`${name}: ${error.message}`)
    return result
  }
}
