/* SPDX-License-Identifier: Apache-2.0 */
/* Layer names of all versions: their Surface and app; and the table of layers. */
#include "tests/unit/unit.h"

#include "rules/frames/layer_table.h"

static void assert_span(struct span span, const char *text)
{
	if (span.len != strlen(text) || memcmp(span.ptr ? span.ptr : "", text, span.len) != 0)
		fail_msg("'%.*s' is not '%s'", (int)span.len, span.ptr ? span.ptr : "", text);
}

static struct span surface_of(const char *layer)
{
	static char copy[SURFACE_MAX];

	return surface_of_layer(span_of(layer), copy);
}

TEST(test_surface_and_app_are_parsed_from_layer_names)
{
	static const struct {
		const char *layer, *surface, *app;
	} names[] = {
		{ "com.a/com.a.Main", "com.a/com.a.Main", "com.a" },
		{ "com.a.b/com.a.b.Main#7842", "com.a.b/com.a.b.Main", "com.a.b" },
		{ "SurfaceView - com.a/com.a.Main#0", "SurfaceView - com.a/com.a.Main", "com.a" },
		{ "SurfaceView[com.a/com.a.Main](BLAST)#12", "SurfaceView[com.a/com.a.Main](BLAST)",
		  "com.a" },
		{ "Splash Screen com.a.b#3", "Splash Screen com.a.b", "com.a.b" },
		{ "com.a.b.c.Wallpaper#0", "com.a.b.c.Wallpaper", "com.a.b.c" },
		{ "StatusBar#0", "StatusBar", "" },
		{ "#0", "#0", "" },
		{ "#", "#", "" },
		{ "a#", "a#", "" },
		{ "a#1#2", "a#1", "" },
		{ "a#1x", "a#1x", "" },
		{ "42", "42", "" },
		{ "/", "/", "" },
		{ "a/b#1", "a/b", "" },
		{ ".a./x", ".a./x", ".a." },
		{ "Dim Layer for - Task=12#0", "Dim Layer for - Task=12", "" },
		/* Parts that change with each start of the app or the phone are removed. */
		{ "com.x/com.x.Main$_29673#163228", "com.x/com.x.Main", "com.x" },
		{ "com.x/com.x.Main$Inner$_29673#1", "com.x/com.x.Main$Inner", "com.x" },
		{ "54dfae7 com.x/com.x.Main#9", "com.x/com.x.Main", "com.x" },
		{ "1f2e com.a.b.Wallpaper#9", "com.a.b.Wallpaper", "com.a.b" },
		{ "2a3b4c5 NotificationShade#102", "NotificationShade", "" },
		{ "92ab3c SurfaceView[com.x/com.x.Main]@0(BLAST)#7",
		  "SurfaceView[com.x/com.x.Main](BLAST)", "com.x" },
		{ "SurfaceView[com.x/com.x.Main]#2(BLAST)#3",
		  "SurfaceView[com.x/com.x.Main](BLAST)", "com.x" },
		{ "SurfaceView[com.x/com.x.Main$_29673]@1(BLAST)#7",
		  "SurfaceView[com.x/com.x.Main](BLAST)", "com.x" },
		{ "SurfaceView - com.x/com.x.Main@5a1b2c@0#0", "SurfaceView - com.x/com.x.Main",
		  "com.x" },
		{ "Bounds for - com.x/com.x.Main@0#5", "Bounds for - com.x/com.x.Main", "com.x" },
		{ "com.x/com.x.Main@0x7f00a1b2c3#5", "com.x/com.x.Main", "com.x" },
		{ "AtchDlg:com.h/com.h.Main$_812#5", "AtchDlg:com.h/com.h.Main", "com.h" },
		{ "com.i.Wallpaper@10f2a3b#4", "com.i.Wallpaper", "" },
		{ "PopupWindow:5a1b2c", "PopupWindow", "" },
		{ "PopupWindow:cafe#1", "PopupWindow", "" },
		{ "PopupWindow:5a1b2c$_29673#8", "PopupWindow", "" },
		{ "5a1b2c PopupWindow:1d761ad#133", "PopupWindow", "" },
		{ "ViewRootImpl@5a1b2c[Main]#3", "ViewRootImpl[Main]", "" },
		{ "Surface(name=9f0bc20 InputMethod)/@0x400aa7f - animation-leash of x#1605",
		  "Surface(name=InputMethod) - animation-leash of x", "" },
		{ "ActivityRecord{5e6ac22 u0 a.b/a.b.Home}#2", "ActivityRecord{u0 a.b/a.b.Home}",
		  "a.b" },
		{ "WindowToken{9c004 android.os.BinderProxy@e781417}#0",
		  "WindowToken{android.os.BinderProxy}", "" },
		{ "com.android.server.wm.DisplayContent$TaskStackContainers@47c43de#0",
		  "com.android.server.wm.DisplayContent$TaskStackContainers",
		  "com.android.server.wm" },
		{ "ImageReader-1080x2400f1m3-29673-0#4", "ImageReader-1080x2400f1m3", "" },
		{ "unnamed-29673-3", "unnamed", "" },
	};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_span(surface_of(names[i].layer), names[i].surface);
		assert_span(app_of_layer(span_of(names[i].layer)), names[i].app);
	}
}

/* Similar names that do not change. */
TEST(test_constant_parts_of_names_are_kept)
{
	char names[] = "com.x/com.x.Main$Inner\ncom.x/com.x.Main$_2\n"
		       "com.x/com.x.Main@12345678901234567\ncom.x/com.x.Main@x\n"
		       "unnamed-29673-3x\ncom.x/com.x.Main$_29673x\nLeaf:36:36\n"
		       "[Gesture Monitor] edge-swipe\nDisplay 4619827259835644672\n"
		       "Display 0 name=\"Built-in Screen\"\nWallpaper BBQ wrapper\n"
		       "Task=163\nadd com.x/com.x.Main\ndecade com.x/com.x.Main\n"
		       "me@cafe.org\nme@cafe\n2048 - the game\nTimer 12:30:45\n"
		       "Room #5 (BLAST)\n2024-11-22\n\303\251@\303\251\n@\n$_\n"
		       "5a1b2c\n5a1b2c \n@0\n:\n";

	for (char *name = strtok(names, "\n"); name; name = strtok(NULL, "\n"))
		assert_span(surface_of(name), name);
}

/* "|" before the name of a layer, as it is behind the hash of its window. */
TEST(test_a_bar_before_a_name_is_removed)
{
	char copy[SURFACE_MAX];

	assert_span(layer_without_bar(SPAN_LITERAL("|a"), copy), "a");
	assert_span(layer_without_bar(SPAN_LITERAL("5a1b2c |a/b#0"), copy), "5a1b2c a/b#0");
	assert_null(layer_without_bar(SPAN_LITERAL("|"), copy).ptr);
	assert_null(layer_without_bar(SPAN_LITERAL("5a1b2c a|b"), copy).ptr);
}

TEST(test_windows_of_activities_are_recognised)
{
	assert_true(is_activity_layer(SPAN_LITERAL("com.a/com.a.Main#0")));
	assert_true(is_activity_layer(SPAN_LITERAL("54dfae7 com.a/com.a.Main#12")));
	assert_true(is_activity_layer(SPAN_LITERAL("com.a/com.a.Main$_29673#163228")));
	assert_false(is_activity_layer(SPAN_LITERAL("54dfae7 Splash Screen com.a.b#3")));
	assert_false(is_activity_layer(SPAN_LITERAL("54dfae7 ")));
	assert_false(is_activity_layer(SPAN_LITERAL("SurfaceView - com.a/com.a.Main#0")));
	assert_false(is_activity_layer(SPAN_LITERAL("Splash Screen com.a.b#3")));
	assert_false(is_activity_layer(SPAN_LITERAL("StatusBar#0")));
	assert_false(is_activity_layer(SPAN_LITERAL("com.a.b.Wall#0")));
	assert_false(is_activity_layer(SPAN_LITERAL("")));
}

/* Names end where their text ends, not at a NUL. */
TEST(test_names_are_read_within_their_bounds)
{
	const char *text = "5a1b2c (name=5a1b2c com.a/com.a.Main$_123/@0x5@0:5a1b2c]#1(#012";
	char surface[SURFACE_MAX];

	for (size_t len = 0; len <= strlen(text); len++) {
		char *copy = malloc(len ? len : 1);
		struct span layer = { copy, len };

		memcpy(copy, text, len);
		assert_true(surface_of_layer(layer, surface).len <= len);
		assert_true(app_of_layer(layer).len <= len);
		is_activity_layer(layer);
		free(copy);
	}
}

TEST(test_copies_of_names_are_cut_and_terminated)
{
	char copy[4] = "xxx";

	name_copy(copy, sizeof(copy), SPAN_LITERAL("abcdef"));
	assert_string_equal(copy, "abc");
	name_copy(copy, sizeof(copy), SPAN_NULL);
	assert_string_equal(copy, "");
}

#define LAYERS 320

static struct layer_table table;
static struct memory memory;

static int empty_table(void **state)
{
	layers_init(&table, LAYERS, &memory);
	return memory.failed;
}

static int free_table(void **state)
{
	memory_free(&memory);
	return 0;
}

static int add(const char *name)
{
	return layers_add(&table, span_of(name));
}

static void fill_table(void)
{
	for (int i = 0; i < LAYERS; i++) {
		int id;

		assert_int_equal(layers_to_evict(&table), LAYER_NONE);
		id = add(formatted("layer#%d", i));
		layers_use(&table, id);
		layers_show(&table, id);
	}
}

FIXTURE(empty_table, free_table)

/* Two names that differ only after the stored part are two layers. */
TEST(test_long_names_stay_distinct)
{
	char name[3000];
	int a, b;

	memset(name, 'a', sizeof(name));
	a = layers_add(&table, (struct span){ name, sizeof(name) });
	name[sizeof(name) - 1] = 'b';
	assert_int_equal(layers_find(&table, (struct span){ name, sizeof(name) }), LAYER_NONE);
	b = layers_add(&table, (struct span){ name, sizeof(name) });
	assert_int_not_equal(a, b);
	assert_int_equal(strlen(table.layers[a].name), NAME_SIZE - 1);
}

/* There is space for a long name and a long Surface of each layer, again after layers have left the
 * table. */
TEST(test_all_layers_can_have_long_names)
{
	char name[1000];
	const struct span text = { name, sizeof(name) };

	memset(name, 'a', sizeof(name));
	for (int i = 0; i < 3 * LAYERS; i++) {
		int id;

		snprintf(name + sizeof(name) - 12, 12, "%011d", i);
		name[sizeof(name) - 1] = 'b';
		if (i >= LAYERS)
			layers_remove(&table, i % LAYERS);
		id = layers_add(&table, text);
		layers_set_surface(&table, &table.layers[id], text);
		assert_int_equal(id, i % LAYERS);
		assert_int_equal(layers_find(&table, text), id);
		assert_int_equal(strlen(table.layers[id].name), sizeof(name));
		assert_int_equal(strlen(table.layers[id].surface), sizeof(name));
	}
}

TEST(test_layer_without_frames_or_idle_longest_is_evicted_first)
{
	fill_table();
	for (int i = 0; i < LAYERS; i++)
		if (i != 7)
			layers_use(&table, i);
	assert_int_equal(layers_to_evict(&table), 7);
	layers_remove(&table, 300);
	layers_use(&table, add("without a frame"));
	assert_int_equal(layers_to_evict(&table), 300);
}

TEST(test_layer_with_waiting_frames_is_not_evicted)
{
	fill_table();
	for (int i = 0; i < LAYERS; i++)
		table.layers[i].waiting = i == 9 ? 0 : 1;
	assert_int_equal(layers_to_evict(&table), 9);
	table.layers[9].waiting = 1;
	assert_int_equal(layers_to_evict(&table), -ENOSPC);
}

TEST(test_entry_of_a_removed_layer_is_used_again)
{
	int gone, id;

	fill_table();
	gone = layers_to_evict(&table);
	layers_remove(&table, gone);
	assert_int_equal(layers_find(&table, SPAN_LITERAL("layer#0")), LAYER_NONE);
	assert_int_equal(layers_find(&table, SPAN_LITERAL("layer#")), LAYER_NONE);
	assert_int_equal(layers_find(&table, SPAN_LITERAL("layer#10")), 10);
	id = add("new");
	assert_int_equal(id, gone);
	assert_false(table.layers[id].shown);
	assert_int_equal(layers_find(&table, SPAN_LITERAL("new")), id);
	assert_int_equal(layers_to_evict(&table) == LAYER_NONE, false);
}
