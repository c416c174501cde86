/** Acknowledgements and what follows them. https://discord.com/developers/docs/interactions/receiving-and-responding */
import { flatten } from "./discord-components.ts";
import { contentAfter, messageBody, misdeeds, pingsOf, storeUploads, writtenIn } from "./discord-content.ts";
import type { Interaction, Modal } from "./discord-interactions.ts";
import { messageJson } from "./discord-message-json.ts";
import type { Json } from "./discord-account-json.ts";
import { edit, post, remove } from "./discord-message-routes.ts";
import { invalid, refusal } from "./discord-refusals.ts";
import { nothing, ok, readAs } from "./discord-site.ts";
import type { RouteRequest, Routes, Site } from "./discord-site.ts";
import { addMessage, EMPTY } from "./discord-world.ts";
import type { WireMessage } from "./discord-world.ts";

const EPHEMERAL = 64;
/** The bot "is thinking": a deferred answer that has not come. */
const LOADING = 128;

export const INTERACTION_ROUTES: Routes = {
  "POST /interactions/:id/:token/callback": async (request, site) => {
    const [id = "", token = ""] = request.params;
    const interaction = site.interactions.toAcknowledge(id, token);
    const body: Json = { ...(request.body as Json) }; // `type` alone is read before a schema is chosen
    const message = await acknowledge(interaction, body, request, site);
    if (request.query.get("with_response") !== "true") return nothing;
    const resource = message && { type: body["type"], message: messageJson(site.world, message) };
    const told = {
      id,
      type: interaction.type,
      ...(message && {
        response_message_id: message.id,
        response_message_loading: (message.shown.flags & LOADING) !== 0,
        response_message_ephemeral: message.ephemeralFor !== undefined,
      }),
    };
    return ok({ interaction: told, ...(resource && { resource }) });
  },
  "POST /webhooks/:id/:token": async (request, site) => {
    const interaction = byToken(request, site);
    const { original } = interaction;
    // Discord: the first follow-up takes the place of a deferred answer.
    if (original && isLoading(original)) return ok(messageJson(site.world, await fill(original, request, site)));
    return ok(messageJson(site.world, await answer(interaction, request.body, request, site)));
  },
  "GET /webhooks/:id/:token/messages/:id": (request, site) =>
    ok(messageJson(site.world, through(byToken(request, site), request))),
  "PATCH /webhooks/:id/:token/messages/:id": async (request, site) => {
    const message = through(byToken(request, site), request);
    const changed = isLoading(message)
      ? await fill(message, request, site)
      : await edit(message, request, "follow_up_edit", request.body, site);
    return ok(messageJson(site.world, changed));
  },
  "DELETE /webhooks/:id/:token/messages/:id": (request, site) => {
    remove(through(byToken(request, site), request), site);
    return nothing;
  },
};

function byToken({ params: [application, token = ""] }: RouteRequest, { world, interactions }: Site): Interaction {
  if (application !== world.bot.id) throw refusal("unknown_webhook");
  return interactions.byToken(token);
}

function through({ original, messages }: Interaction, { params: [, , id] }: RouteRequest): WireMessage {
  const found = id === "@original" ? original : messages.find((message) => message.id === id);
  if (!found || found.deleted) throw refusal("unknown_message");
  return found;
}

const isLoading = ({ shown }: WireMessage): boolean => (shown.flags & LOADING) !== 0;

/** One acknowledgement; returns the message it shows, if any. */
async function acknowledge(
  interaction: Interaction,
  body: Json,
  request: RouteRequest,
  site: Site,
): Promise<WireMessage | undefined> {
  const { interactions } = site;
  switch (body["type"]) {
    case 4: {
      const message = await answer(interaction, body["data"], request, site);
      interaction.original = message;
      const text = writtenIn(message.shown).join("\n");
      interactions.acknowledge(interaction, { type: "notice", text, private: message.ephemeralFor !== undefined });
      return message;
    }
    case 5: {
      readAs("answer", body, site.violate);
      interaction.original = defer(interaction, body, site);
      const isPrivate = interaction.original.ephemeralFor !== undefined;
      interactions.acknowledge(interaction, { type: "deferred", private: isPrivate });
      return interaction.original;
    }
    case 6:
    case 7: {
      const { pressed } = interaction;
      if (!pressed) throw wrongType("An update needs a message whose component was pressed.");
      if (body["type"] === 7) await edit(pressed, request, "follow_up_edit", body["data"] ?? {}, site);
      else readAs("update", body, site.violate);
      interaction.original = pressed;
      interactions.acknowledge(interaction, { type: "none" });
      return body["type"] === 7 ? pressed : undefined;
    }
    case 9: {
      if (interaction.type === 5) throw wrongType("A form cannot answer a form.");
      const modal = modalOf(interaction, readAs("modal", body, site.violate));
      interactions.acknowledge(interaction, { type: "modal", modal });
      return undefined;
    }
    default:
      throw wrongType("Value must be one of {4, 5, 6, 7, 9}.");
  }
}
const wrongType = (message: string) => invalid(["type"], message, "BASE_TYPE_CHOICES");

/** Boundary: the specification's schema has read it. */
function modalOf({ channel, pressed }: Interaction, { data }: Json): Modal {
  const fields = data as Pick<Modal, "custom_id" | "title" | "components">;
  // Discord's documentation: 1 to 5, whatever its specification says.
  if (fields.components.length > 5)
    throw invalid(["data", "components"], "Must be between 1 and 5 in length.", "BASE_TYPE_BAD_LENGTH");
  const all = flatten(fields.components);
  const ids = all.flatMap((one) => one["custom_id"] ?? []);
  if (new Set(ids).size < ids.length)
    throw invalid(["data", "components"], "Component custom id cannot be duplicated", "COMPONENT_CUSTOM_ID_DUPLICATED");
  const unlabelled = fields.components
    .filter(({ type }) => type === 1)
    .some((row) => flatten([row]).some((one) => one.type === 4 && !one["label"]));
  if (unlabelled) throw invalid(["data", "components"], "This field is required", "BASE_TYPE_REQUIRED");
  return { ...fields, channel, ...(pressed && { pressed }) };
}

const marks = ({ id, type, user }: Interaction, isPrivate: boolean) => ({
  interaction: { id, type, user },
  type: type === 2 ? 20 : 0,
  ...(isPrivate && { ephemeralFor: user.id }),
});

/** A message through the token: needs no permission in the channel. */
async function answer(
  interaction: Interaction,
  body: unknown,
  request: RouteRequest,
  site: Site,
): Promise<WireMessage> {
  const flags = typeof body === "object" && body !== null && "flags" in body ? Number(body.flags) : 0;
  const isPrivate = (flags & EPHEMERAL) !== 0;
  const more = marks(interaction, isPrivate);
  const message = await post(interaction.channel, request, "follow_up", body ?? {}, site, more);
  interaction.messages.push(message);
  return message;
}

function defer(interaction: Interaction, { data }: Json, { world, events }: Site): WireMessage {
  const flags = typeof data === "object" && data !== null && "flags" in data ? Number(data.flags) & EPHEMERAL : 0;
  const message = addMessage(world, {
    channel: interaction.channel,
    author: world.bot,
    shown: { ...EMPTY, flags: flags | LOADING },
    ...marks(interaction, flags !== 0),
  });
  interaction.messages.push(message);
  events.messageCreated(message);
  return message;
}

/** What was deferred comes: the first thing that this message shows. */
async function fill(message: WireMessage, { body: json, uploads }: RouteRequest, site: Site): Promise<WireMessage> {
  const body = messageBody(readAs("follow_up", json, site.violate));
  const after = contentAfter(undefined, body, await storeUploads(site.world, body, uploads));
  const pings = pingsOf(site.world, after, body.allowed_mentions, undefined);
  for (const what of misdeeds(body, after, pings)) site.violate(what);
  message.shown = { ...after, flags: after.flags | (message.shown.flags & EPHEMERAL) };
  message.pings = pings;
  site.events.messageUpdated(message);
  return message;
}
