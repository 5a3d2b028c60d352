// The door of a program that loads extensions. parley writes this file next to its own extension where a launch
// opens the door. It answers one request, a line of JSON, on each connection.
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const longest = 4 << 20; // of a request, in characters

// open listens where the launch says. A program loads its extensions again with each session, and all of them share what
// was given.
export function open(pi, dir, version) {
	const launch = JSON.parse(readFileSync(join(dir, "door.json"), "utf8"));
	const state = (globalThis[Symbol.for("parley.door")] ??= { given: new Set() });

	pi.on("session_start", (_event, ctx) => {
		Object.assign(state, { pi, ctx });
		state.server ??= listen(launch.socket, (line) => answer(state, launch.secret, version, line));
	});
	pi.on("session_shutdown", (event) => {
		state.pi = undefined;
		if ((event.reason ?? "quit") !== "quit") return;
		state.server?.close();
		state.server = undefined;
		rmSync(launch.socket, { force: true });
	});
}

function listen(path, answer) {
	rmSync(path, { force: true });
	const server = createServer((conn) => {
		let text = "";
		conn.setEncoding("utf8");
		conn.on("error", () => conn.destroy());
		conn.on("data", (part) => {
			text += part;
			const end = text.indexOf("\n");
			if (end >= 0) conn.end(JSON.stringify(answer(text.slice(0, end))) + "\n");
			else if (text.length > longest) conn.destroy();
		});
	});
	server.on("error", () => {});
	server.listen(path, () => chmodSync(path, 0o600)); // its directory is the user's alone
	server.unref();
	return server;
}

function answer(state, secret, version, line) {
	try {
		const request = JSON.parse(line);
		if (request.secret !== secret) return { error: "a wrong password" };
		if (!state.pi) return { error: "it is between two sessions" };
		if (request.do === "greet") return { protocol: 1, version };
		if (request.do === "give") return give(state, request);
		if (request.do === "ask") return { fate: fate(state, request) };
		return { error: "an unknown request" };
	} catch (error) {
		return { error: String(error) };
	}
}

// give hands a message over once. What the program rejects later, its session does not have.
function give({ pi, given }, { id, text, steer }) {
	if (!given.has(id)) {
		pi.sendUserMessage(text, { deliverAs: steer ? "steer" : "followUp" });
		given.add(id);
	}
	return {};
}

// fate tells what became of a message. A turn holds what its session has as a user's message.
function fate({ ctx, given }, { id, mark }) {
	const has = (entry) => entry.type === "message" && entry.message.role === "user" && signed(words(entry.message), mark);
	if (ctx.sessionManager.getEntries().some(has)) return "read";
	if (!given.has(id)) return "absent";
	return !ctx.isIdle() || ctx.hasPendingMessages() ? "queued" : "unknown";
}

// signed tells whether a line ends with a footer with a mark. Others can name the mark in their words, and what looks
// like a footer in those is quoted.
function signed(text, mark) {
	return text.split("\n").some((line) => {
		const [, before, foot] = /^(.*)(\([^(]*\))\s*$/.exec(line) ?? [];
		return foot?.includes(mark) && !/>\s*$/.test(before);
	});
}

function words({ content }) {
	return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");
}
