// Keeps the last pages and answers, so that they can be read without a network; with one, the server is always asked.
"use strict";
const KEPT = "answers", MOST = 80;

function is_kept(request) {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return false;
  return request.mode === "navigate" || pathname.startsWith("/static/") || pathname.endsWith("/answer");
}

async function keep(request, reply) {
  const cache = await caches.open(KEPT);
  await cache.put(request, reply);
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - MOST)).map((one) => cache.delete(one)));
}

async function answer(request) {
  try {
    const reply = await fetch(request);
    if (reply.ok) await keep(request, reply.clone());
    return reply;
  } catch (error) {
    const kept = (await caches.match(request)) || (request.mode === "navigate" && (await caches.match("/")));
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("install", (event) => event.waitUntil(fetch("/").then((reply) => keep("/", reply)).then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => { if (is_kept(event.request)) event.respondWith(answer(event.request)); });
