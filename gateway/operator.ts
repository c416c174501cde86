/**
 * Orders of whoever owns this machine to the running program, over its loopback HTTP: the word that proves it lies in the
 * database, which nobody else can read. The program shows the same way that it is the one that keeps this database.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";

const orderSchema = z.strictObject({ person: z.string().min(1).max(500) });
const answerSchema = z.union([
  z.object({ type: z.literal("begun"), person: z.string() }),
  z.object({ type: z.literal("unknown"), likely: z.array(z.string()) }),
]);
type Answer =
  | { readonly type: "begun"; readonly person: string }
  /** People who may be meant. */
  | { readonly type: "unknown"; readonly likely: readonly string[] };

const proofSchema = z.object({ proof: z.hash("sha256") });

/**
 * What `POST /operator/forget` and `GET /operator/proof` do; anything else is not found. `forget` resolves when the order
 * is on disk.
 */
export function createOperatorRoute(
  secret: string,
  forget: (person: string) => Answer,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "GET" && pathname === "/operator/proof")
      return Response.json({ proof: proofOf(secret, searchParams.get("of") ?? "") });
    if (request.method !== "POST" || pathname !== "/operator/forget") return new Response("not found", { status: 404 });
    if (!isSame(request.headers.get("authorization") ?? "", `Bearer ${secret}`))
      return new Response("wrong secret", { status: 401 });
    const order = orderSchema.safeParse(await request.json().catch(() => undefined));
    if (!order.success) return new Response('expected {"person": "…"}', { status: 400 });
    return Response.json(forget(order.data.person));
  };
}

/** Shows that who made it has the secret, and gives nothing of it away: anybody may ask for it. */
const proofOf = (secret: string, question: string) => createHmac("sha256", secret).update(question).digest("hex");

/** Who has a port: the program that keeps this secret, a Threadline that keeps another, or something else. Tells it nothing. */
export async function whoAnswers(
  origin: string,
  secret: () => string | undefined,
): Promise<"own" | "other_threadline" | "unknown"> {
  const question = randomBytes(32).toString("hex");
  const proof = await fetch(`${origin}/operator/proof?of=${question}`, { signal: AbortSignal.timeout(2000) })
    .then(async (response) => proofSchema.parse(await response.json()).proof)
    .catch(() => undefined);
  if (proof === undefined) return "unknown";
  const known = secret();
  return known !== undefined && proofOf(known, question) === proof ? "own" : "other_threadline";
}

/** In a time that says nothing about where they differ. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
const digest = (text: string) => createHash("sha256").update(text).digest();

/** Asks the running program. @throws Error with a sentence for the operator when it does not take the order. */
export async function askToForget(
  { origin, secret }: { origin: string; secret: string },
  person: string,
): Promise<Answer> {
  const response = await fetch(`${origin}/operator/forget`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ person }),
    signal: AbortSignal.timeout(10_000),
  }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The running Threadline at ${origin} does not answer (${reason}): try again, or stop it first`, {
      cause: error,
    });
  });
  if (!response.ok)
    throw new Error(
      `The running Threadline at ${origin} refused (${response.status}): stop it, then give the command again`,
    );
  return answerSchema.parse(await response.json());
}

/** What the command prints; @throws Error with whom it could mean. */
export function sentenceFor(answer: Answer, asked: string, state: "done" | "begun"): string {
  if (answer.type === "begun")
    return state === "done"
      ? `${asked} is forgotten.`
      : `${asked} is being forgotten by the running Threadline; its log says when that is done, and calls them ${answer.person}.`;
  const likely = answer.likely.length > 0 ? `; it knows ${answer.likely.join(", ")}` : "; it knows nobody";
  throw new Error(
    `Expected a person as platform:account, such as telegram:12345, got "${asked}", whom this Threadline does not know${likely}`,
  );
}
